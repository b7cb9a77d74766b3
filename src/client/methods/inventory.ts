import type { Call } from "../call.ts";
import { Methods, type Options, type Query } from "./methods.ts";

export class InventoryMethods extends Methods {
  /** How many animals there are of each status. */
  get(options?: Options<"getInventory">): Call<"getInventory"> {
    return this.call("getInventory", {}, options);
  }

  /** How many animals of a category there are of each status: 1,000 stands for that many or more. */
  ofCategory(
    categoryId: Query<"getInventory">["categoryId"] & {},
    options?: Options<"getInventory">,
  ): Call<"getInventory"> {
    return this.call("getInventory", { query: { categoryId } }, options);
  }
}
