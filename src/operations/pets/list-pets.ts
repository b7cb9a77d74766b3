import { operation } from "../definition.ts";
import { beta, int64Field, limitField } from "../fields.ts";
import { examplePet, PetStatus, Pets } from "./schemas.ts";

export const listPets = operation({
  id: "listPets",
  method: "GET",
  path: "/pets",
  tag: "animals",
  summary: "List animals",
  description:
    "Returns a paginated list of animals, ascending by `id`. The body is a bare array; the `Link` header holds the address of the next page, and has no `next` on the last one. " +
    "An animal that is there, and matches the filters, from the first page of a walk to its last is on exactly one of its pages, whatever is added, changed or deleted meanwhile.",
  scope: "read",
  stability: "stable",
  query: {
    limit: limitField,
    status: { ...PetStatus, description: "Returns only animals with this status." },
    id: beta(
      int64Field(
        "Returns only the animal with this identifier: an array of one, or of none. Given alone, the answer carries the animal's own `ETag`, which `If-Match` takes.",
      ),
    ),
    categoryId: beta(int64Field("Returns only animals of this category.")),
  },
  paged: true,
  isCached: true,
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
  handle: ({ query: { limit, id, categoryId, status }, after }, { store }) =>
    store.pets.list({ id, categoryId, status }, { limit, after }),
});
