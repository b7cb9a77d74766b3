import { operation } from "../definition.ts";
import { Inventory } from "./schemas.ts";

export const getInventory = operation({
  id: "getInventory",
  method: "GET",
  path: "/store/inventory",
  tag: "store",
  summary: "Count the animals",
  description:
    "Returns the number of animals with each status, all at one point in time. It takes the same time however many there are.",
  scope: "read",
  stability: "experimental",
  success: {
    status: 200,
    description: "The counts.",
    schema: Inventory,
    examples: { counts: { summary: "A small store", value: { available: 12, pending: 2, sold: 30 } } },
  },
  errors: [],
  handle: (_, { store }) => store.inventory(),
});
