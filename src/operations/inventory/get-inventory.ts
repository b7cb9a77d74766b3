import { maxInventoryCount } from "../../domain/pet.ts";
import { operation } from "../definition.ts";
import { beta, int64Field } from "../fields.ts";
import { Inventory } from "./schemas.ts";

export const getInventory = operation({
  id: "getInventory",
  endpoint: "GET /store/inventory",
  summary: "Count the animals",
  description:
    "Returns the number of animals with each status, all at one point in time. It takes the same time however many there are.",
  query: {
    categoryId: beta(
      int64Field(
        `Counts only animals of this category, up to ${maxInventoryCount} with each status: a count of ${maxInventoryCount} stands for that many or more.`,
      ),
    ),
  },
  stability: "experimental",
  success: {
    description: "The counts.",
    schema: Inventory,
    examples: { counts: { summary: "A small store", value: { available: 12, pending: 2, sold: 30 } } },
  },
  handle: ({ query: { categoryId } }, { store }) =>
    categoryId === undefined ? store.inventory() : store.inventoryOf(categoryId),
});
