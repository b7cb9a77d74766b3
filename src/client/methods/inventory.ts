import type { Call } from "../call.ts";
import { Methods, type Options } from "./methods.ts";

export class InventoryMethods extends Methods {
  /** How many animals there are of each status. */
  get(options?: Options<"getInventory">): Call<"getInventory"> {
    return this.call("getInventory", {}, options);
  }
}
