import { operation } from "../definition.ts";
import { limitField } from "../fields.ts";
import { Categories, exampleCategory } from "./schemas.ts";

export const listCategories = operation({
  id: "listCategories",
  method: "GET",
  path: "/categories",
  tag: "categories",
  summary: "List categories",
  description:
    "Returns a paginated list of the categories that have a name, ascending by `id`, with the same paging as the list of animals.",
  scope: "read",
  stability: "beta",
  query: { limit: limitField },
  paged: true,
  success: {
    status: 200,
    description: "A page of categories.",
    schema: Categories,
    examples: {
      page: { summary: "One category", value: [exampleCategory] },
      none: { summary: "No category has a name", value: [] },
    },
  },
  errors: [],
  handle: ({ query: { limit }, after }, { store }) => store.categories.list({ limit, after }),
});
