import { operation } from "../definition.ts";
import { Created } from "../operation.ts";
import { Category, categoryIdParam, exampleCategory, NewCategory } from "./schemas.ts";

export const putCategory = operation({
  id: "putCategory",
  method: "PUT",
  path: "/categories/:categoryId",
  tag: "categories",
  summary: "Name a category",
  description:
    "Sets or replaces the name of a category. With `If-None-Match: *`, only if it has none; with `If-Match`, only if nobody else has changed it since.",
  scope: "write",
  stability: "beta",
  params: categoryIdParam,
  body: { schema: NewCategory, examples: { name: { summary: "A name", value: { name: "Dogs" } } } },
  replaces: true,
  success: {
    status: 200,
    description: "The name of the category was replaced.",
    created: "The category now has a name.",
    schema: Category,
    examples: { named: { summary: "The category with its name", value: exampleCategory } },
  },
  errors: [],
  current: { read: ({ params: { categoryId } }, { store }) => store.categories.get(categoryId) },
  async handle({ params: { categoryId: id }, body: { name }, expected }, { store }) {
    const category = { id, name };
    const isNew = await store.categories.put(category, expected);
    return isNew ? new Created(category) : category;
  },
});
