import type { Int64 } from "../base/int64.ts";
import { categoryFields, noSuchCategory } from "../domain/category.ts";
import { operation } from "./definition.ts";
import { complainOfStart, int64Field, limitField, nameFilterField, pageSchema } from "./fields.ts";
import { type Context, Created, found } from "./operation.ts";
import { newResourceSchema, resourceSchema } from "./resource-schema.ts";
import { Nothing } from "./schema.ts";

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
  "A page of categories, ascending by `id` or, if you look for a `name`, in the order of their names.",
  Category,
);

export const exampleCategory = { id: 7, name: "Dogs" } as const;

export const categoryIdParam = {
  categoryId: { ...int64Field("Identifier of the category: any 64-bit integer."), examples: [exampleCategory.id] },
} as const;

const current = {
  read: ({ params: { categoryId } }: { params: { categoryId: Int64 } }, { store }: Context) =>
    store.categories.get(categoryId),
};

export const listCategories = operation({
  id: "listCategories",
  endpoint: "GET /categories",
  summary: "List categories",
  description:
    "Returns a paginated list of the categories that have a name, ascending by `id` unless you look for a `name`, with the same paging as the list of animals.",
  query: {
    limit: limitField,
    name: nameFilterField(
      "Returns only categories whose names start with this text, ignoring case and accents: `do` finds Dogs. They come in the order of their names.",
      "do",
    ),
  },
  complain: ({ query: { name }, ...start }) => (name === undefined ? [] : complainOfStart(name, start)),
  paged: true,
  success: {
    description: "A page of categories.",
    schema: Categories,
    examples: {
      page: { summary: "One category", value: [exampleCategory] },
      none: { summary: "No category has a name", value: [] },
    },
  },
  handle({ query: { limit, name }, after, afterName }, { store }) {
    if (name === undefined) return store.categories.list({}, { limit, after });
    return store.categories.list({ name }, { limit, after, afterName });
  },
});

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
    found(store.categories.get(categoryId), () => noSuchCategory(categoryId)),
});

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

export const deleteCategory = operation({
  id: "deleteCategory",
  endpoint: "DELETE /categories/:categoryId",
  summary: "Delete a category's name",
  description: "Deletes only the name: the animals of the category stay, and keep its identifier.",
  params: categoryIdParam,
  success: { status: 204, description: "The category no longer has a name.", schema: Nothing, examples: {} },
  current,
  handle: ({ params: { categoryId }, expected }, { store }) => store.categories.delete(categoryId, expected),
});

export const categoryOperations = [listCategories, getCategory, putCategory, deleteCategory];
export const categorySchemas = [NewCategory, Category, Categories];
