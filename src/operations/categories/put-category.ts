import { operation } from "../definition.ts";
import { Created } from "../operation.ts";
import { current } from "./current.ts";
import { Category, categoryIdParam, exampleCategory, NewCategory } from "./schemas.ts";

export const putCategory = operation({
  id: "putCategory",
  endpoint: "PUT /categories/:categoryId",
  summary: "Name a category",
  description:
    "Sets or replaces the name of a category. With `If-None-Match: *`, only if it has none; with `If-Match`, only if nobody else has changed it since.",
  params: categoryIdParam,
  body: { schema: NewCategory, examples: { name: { summary: "A name", value: { name: "Dogs" } } } },
  success: {
    description: "The name of the category was replaced.",
    created: "The category now has a name.",
    schema: Category,
    examples: { named: { summary: "The category with its name", value: exampleCategory } },
  },
  current,
  async handle({ params: { categoryId: id }, body: { name }, expected }, { store }) {
    const category = { id, name };
    const isNew = await store.categories.put(category, expected);
    return isNew ? new Created(category) : category;
  },
});
