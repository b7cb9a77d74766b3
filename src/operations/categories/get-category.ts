import { notFound } from "../../domain/errors.ts";
import { operation } from "../definition.ts";
import { found } from "../operation.ts";
import { Category, categoryIdParam, exampleCategory } from "./schemas.ts";

export const getCategory = operation({
  id: "getCategory",
  endpoint: "GET /categories/:categoryId",
  summary: "Get a category",
  description: "Returns a single category. A category without a name gets 404, even if there are animals in it.",
  params: categoryIdParam,
  success: {
    description: "The category.",
    schema: Category,
    examples: { category: { summary: "A category", value: exampleCategory } },
  },
  errors: ["NotFound"],
  handle: ({ params: { categoryId } }, { store }) =>
    found(store.categories.get(categoryId), () => notFound("category", categoryId)),
});
