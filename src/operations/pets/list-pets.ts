import { petStatuses } from "../../domain/pet.ts";
import { operation } from "../definition.ts";
import {
  complainAboutCursor,
  int64Field,
  limitField,
  markBeta,
  maxLimit,
  nameFilterField,
  sortField,
  toCommaSeparatedField,
} from "../fields.ts";
import type { Complaint } from "../invalid-input.ts";
import { examplePet, otherPet, PetStatus, Pets } from "./schemas.ts";

const statusDescription =
  "Returns only animals with this status, or with one of several that are separated by commas (beta).";
const idDescription = `Returns only the animal with this identifier: an array of one or none. Without other filters, the response carries the animal's own \`ETag\`, for \`If-Match\`. Up to ${maxLimit} identifiers, separated by commas (beta), return those of the animals that exist.`;

export const listPets = operation({
  id: "listPets",
  endpoint: "GET /pets",
  summary: "List animals",
  description:
    "Returns a paginated list of animals, ascending by `id` unless you `sort` it otherwise or filter by `name`. The body is a bare array; the `Link` header contains the URL of the next page, and has no `next` on the last page. " +
    "An animal that exists and matches the filters while you read all pages is on exactly one of them, whatever is added, changed or deleted meanwhile. Only a list by `name` follows the names: an animal that is renamed meanwhile may be on two of its pages, or on none.",
  stability: "stable",
  query: {
    limit: limitField,
    status: toCommaSeparatedField({ ...PetStatus, description: statusDescription }, petStatuses.length),
    id: toCommaSeparatedField(int64Field(idDescription), maxLimit),
    categoryId: markBeta(int64Field("Returns only animals of this category.")),
    sort: markBeta(sortField),
    name: nameFilterField(
      "Returns only animals whose names start with this text, ignoring case and accents: `re` finds Rex and Rémy. The list is in the order of the names. `name` cannot be combined with other filters or with `sort`.",
      "re",
    ),
  },
  complain({ query: { name, limit: _, ...others }, ...start }) {
    return name === undefined ? [] : [...complainAboutOthers("name", others), ...complainAboutCursor(name, start)];
  },
  isPaged: true,
  isNewestLast: ({ sort, name }) => sort !== "-id" && name === undefined,
  success: {
    description: "A page of animals.",
    schema: Pets,
    examples: { page: ["Two animals", [examplePet, otherPet]], none: ["No animal matches", []] },
  },
  handle({ query: { limit, status, id, categoryId, sort, name }, after, afterName }, { store }) {
    if (name === undefined) {
      return store.pets.list({ status, id, categoryId }, { limit, after, isDescending: sort === "-id" });
    }
    return store.pets.list({ name }, { limit, after, afterName });
  },
});

function complainAboutOthers(name: string, others: Readonly<Record<string, unknown>>): Complaint[] {
  return Object.entries(others).flatMap(([other, value]) =>
    value === undefined ? [] : [{ pointer: `?${other}`, message: `${other} cannot be combined with ${name}.` }],
  );
}
