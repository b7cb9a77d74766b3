import { type Inventory as InventoryCounts, maxInventoryCount } from "../../domain/pet.ts";
import { operation } from "../definition.ts";
import { int64Field, markBeta, objectSchema } from "../fields.ts";
import type { JsonSchema } from "../schema.ts";

const count = { type: "integer", minimum: 0 } as const;

export const Inventory = objectSchema("Inventory", "The number of animals with each status.", {
  available: { ...count, description: "Animals that can be ordered." },
  pending: { ...count, description: "Animals that are reserved." },
  sold: { ...count, description: "Animals that are sold." },
} satisfies Record<keyof InventoryCounts, JsonSchema>);

const categoryDescription = `Counts only animals of this category, up to ${maxInventoryCount} with each status: a count of ${maxInventoryCount} stands for that many or more.`;

export const getInventory = operation({
  id: "getInventory",
  endpoint: "GET /store/inventory",
  summary: "Count the animals",
  description:
    "Returns the number of animals with each status, all at one point in time. The response time does not depend on the number of animals.",
  query: { categoryId: markBeta(int64Field(categoryDescription)) },
  stability: "experimental",
  success: {
    description: "The counts.",
    schema: Inventory,
    examples: { counts: ["A small store", { available: 12, pending: 2, sold: 30 }] },
  },
  handle: ({ query: { categoryId } }, { store }) =>
    categoryId === undefined ? store.inventory() : store.inventoryOf(categoryId),
});
