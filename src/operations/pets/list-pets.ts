import { petStatuses } from "../../domain/pet.ts";
import { operation } from "../definition.ts";
import { beta, int64Field, largestLimit, limitField, severalOf, sortField } from "../fields.ts";
import { examplePet, PetStatus, Pets } from "./schemas.ts";

export const listPets = operation({
  id: "listPets",
  method: "GET",
  path: "/pets",
  tag: "animals",
  summary: "List animals",
  description:
    "Returns a paginated list of animals, ascending by `id` unless you `sort` it otherwise. The body is a bare array; the `Link` header contains the URL of the next page, and has no `next` on the last page. " +
    "An animal that exists and matches the filters while you read all pages is on exactly one of them, whatever is added, changed or deleted meanwhile.",
  scope: "read",
  stability: "stable",
  query: {
    limit: limitField,
    status: severalOf(
      {
        ...PetStatus,
        description:
          "Returns only animals with this status, or with one of several that are separated by commas (beta).",
      },
      petStatuses.length,
    ),
    id: beta(
      severalOf(
        int64Field(
          `Returns only the animal with this identifier: an array of one or none. Without other filters, the response carries the animal's own \`ETag\`, for \`If-Match\`. Up to ${largestLimit} identifiers, separated by commas, return those of the animals that exist.`,
        ),
        largestLimit,
      ),
    ),
    categoryId: beta(int64Field("Returns only animals of this category.")),
    sort: beta(sortField),
  },
  paged: true,
  isCached: true,
  isAppended: ({ sort }) => sort !== "-id",
  namedBy: "id",
  success: {
    status: 200,
    description: "A page of animals.",
    schema: Pets,
    examples: {
      page: { summary: "Two animals", value: [examplePet, { id: 2, name: "Mia", categoryId: 7, status: "pending" }] },
      none: { summary: "No animal matches", value: [] },
    },
  },
  errors: [],
  handle: ({ query: { limit, id, categoryId, status, sort }, after }, { store }) =>
    store.pets.list({ id, categoryId, status }, { limit, after, isDescending: sort === "-id" }),
});
