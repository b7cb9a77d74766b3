import { int64Field, largestLimit, nameField } from "../fields.ts";

const name = nameField("The category's name, kept exactly as it was sent. Several categories may have the same name.");

export const NewCategory = {
  $id: "NewCategory",
  type: "object",
  description: "The name to give to a category.",
  required: ["name"],
  properties: { name },
} as const;

export const Category = {
  $id: "Category",
  type: "object",
  description: "A category that has a name.",
  required: ["id", "name"],
  properties: { id: int64Field("The `categoryId` of its animals."), name },
} as const;

export const Categories = {
  $id: "Categories",
  type: "array",
  description: "A page of categories, ascending by `id` or, if you look for a `name`, in the order of their names.",
  maxItems: largestLimit,
  items: Category,
} as const;

export const exampleCategory = { id: 7, name: "Dogs" } as const;

export const categoryIdParam = {
  categoryId: { ...int64Field("Identifier of the category: any 64-bit integer."), examples: [exampleCategory.id] },
} as const;
