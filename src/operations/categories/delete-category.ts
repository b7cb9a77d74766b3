import { operation } from "../definition.ts";
import { NoBody } from "../schema.ts";
import { currentCategory } from "./get-category.ts";
import { categoryIdParam } from "./schemas.ts";

export const deleteCategory = operation({
  id: "deleteCategory",
  endpoint: "DELETE /categories/:categoryId",
  summary: "Delete a category's name",
  description: "Deletes only the name: the animals of the category stay, and keep its identifier.",
  params: categoryIdParam,
  success: { status: 204, description: "The category no longer has a name.", schema: NoBody, examples: {} },
  current: currentCategory,
  handle: ({ params: { categoryId }, expected }, { store }) => store.categories.delete(categoryId, expected),
});
