import { categoryFields } from "../../domain/category.ts";
import { int64Field, pageSchema } from "../fields.ts";
import { newResourceSchema, resourceSchema } from "../resource-schema.ts";

const documentation = {
  id: "The `categoryId` of its animals.",
  name: "The category's name, kept exactly as it was sent. Several categories may have the same name.",
};

export const Category = resourceSchema("Category", "A category that has a name.", categoryFields, documentation);

export const NewCategory = newResourceSchema(
  "NewCategory",
  "The name to give to a category.",
  categoryFields,
  documentation,
);

export const Categories = pageSchema(
  "Categories",
  "A page of categories, ascending by `id` or, if you filter by `name`, in the order of their names.",
  Category,
);

export const exampleCategory = { id: 7, name: "Dogs" } as const;

export const categoryIdParam = {
  categoryId: { ...int64Field("Identifier of the category: any 64-bit integer."), examples: [exampleCategory.id] },
} as const;

export const categorySchemas = [NewCategory, Category, Categories];
