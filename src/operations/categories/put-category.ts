import { operation } from "../definition.ts";
import { Created } from "../operation.ts";
import { currentCategory } from "./get-category.ts";
import { Category, categoryIdParam, exampleCategory, NewCategory } from "./schemas.ts";

export const putCategory = operation({
  id: "putCategory",
  endpoint: "PUT /categories/:categoryId",
  summary: "Name a category",
  description:
    "Sets or replaces the name of a category. With `If-None-Match: *`, the name is only set if there is none yet; with `If-Match`, only if no other client has changed it since you read it.",
  params: categoryIdParam,
  body: { schema: NewCategory, examples: { name: ["A name", { name: "Dogs" }] } },
  success: {
    description: "The name of the category was replaced.",
    created: "The category now has a name.",
    schema: Category,
    examples: { named: ["The category with its name", exampleCategory] },
  },
  current: currentCategory,
  async handle({ params: { categoryId: id }, body: { name }, expected }, { store }) {
    const category = { id, name };
    const isNew = await store.categories.put(category, expected);
    return isNew ? new Created(category) : category;
  },
});
