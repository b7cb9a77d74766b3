import { operation } from "../definition.ts";
import { Nothing } from "../schema.ts";
import { categoryIdParam } from "./schemas.ts";

export const deleteCategory = operation({
  id: "deleteCategory",
  method: "DELETE",
  path: "/categories/:categoryId",
  tag: "categories",
  summary: "Delete a category's name",
  description: "Deletes only the name: the animals of the category stay, and keep its identifier.",
  scope: "write",
  stability: "beta",
  params: categoryIdParam,
  success: { status: 204, description: "The category no longer has a name.", schema: Nothing, examples: {} },
  errors: [],
  current: { read: ({ params: { categoryId } }, { store }) => store.categories.get(categoryId) },
  handle: ({ params: { categoryId }, expected }, { store }) => store.categories.delete(categoryId, expected),
});
