import type { Int64 } from "../../base/int64.ts";
import { operation } from "../definition.ts";
import { type Context, requireFound } from "../operation.ts";
import { Category, categoryIdParam, exampleCategory } from "./schemas.ts";

export const getCategory = operation({
  id: "getCategory",
  endpoint: "GET /categories/:categoryId",
  summary: "Get a category",
  description: "Returns a single category. A category without a name gets 404, even if it has animals.",
  params: categoryIdParam,
  success: { description: "The category.", schema: Category, examples: { category: ["A category", exampleCategory] } },
  handle: ({ params: { categoryId } }, { store }) =>
    requireFound(store.categories.get(categoryId), "category", categoryId),
});

export const currentCategory = {
  read: ({ params: { categoryId } }: { params: { categoryId: Int64 } }, { store }: Context) =>
    store.categories.get(categoryId),
};
