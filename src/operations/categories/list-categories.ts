import { operation } from "../definition.ts";
import { complainAboutCursor, limitField, nameFilterField } from "../fields.ts";
import { Categories, exampleCategory } from "./schemas.ts";

export const listCategories = operation({
  id: "listCategories",
  endpoint: "GET /categories",
  summary: "List categories",
  description:
    "Returns a paginated list of the categories that have a name, ascending by `id` unless you filter by `name`, with the same paging as the list of animals.",
  query: {
    limit: limitField,
    name: nameFilterField(
      "Returns only categories whose names start with this text, ignoring case and accents: `do` finds Dogs. The list is in the order of the names.",
      "do",
    ),
  },
  complain: ({ query: { name }, ...start }) => (name === undefined ? [] : complainAboutCursor(name, start)),
  isPaged: true,
  success: {
    description: "A page of categories.",
    schema: Categories,
    examples: { page: ["One category", [exampleCategory]], none: ["No category has a name", []] },
  },
  handle({ query: { limit, name }, after, afterName }, { store }) {
    if (name === undefined) return store.categories.list({}, { limit, after });
    return store.categories.list({ name }, { limit, after, afterName });
  },
});
