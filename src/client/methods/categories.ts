import type { Call } from "../call.ts";
import type { List } from "../list.ts";
import { type Body, Methods, type Options, type Path, type Query } from "./methods.ts";

export class Categories extends Methods {
  /** The categories that have a name. */
  list(query: Query<"listCategories"> = {}, options?: Options<"listCategories">): List<"listCategories"> {
    return this.listOf("listCategories", query, options);
  }

  get(categoryId: Path<"getCategory", "categoryId">, options?: Options<"getCategory">): Call<"getCategory"> {
    return this.call("getCategory", { path: { categoryId } }, options);
  }

  /** Gives a category a name. With `ifNoneMatch: "*"`, only if it has none. */
  put(
    categoryId: Path<"putCategory", "categoryId">,
    category: Body<"putCategory">,
    options?: Options<"putCategory">,
  ): Call<"putCategory"> {
    return this.call("putCategory", { path: { categoryId }, body: category }, options);
  }

  /** Takes the name away; the animals of the category stay as they are. */
  delete(
    categoryId: Path<"deleteCategory", "categoryId">,
    options?: Options<"deleteCategory">,
  ): Call<"deleteCategory"> {
    return this.call("deleteCategory", { path: { categoryId } }, options);
  }
}
