import type { Inventory as Counts } from "../../domain/pet.ts";
import { objectSchema } from "../fields.ts";
import type { JsonSchema } from "../schema.ts";

const count = { type: "integer", minimum: 0 } as const;

export const Inventory = objectSchema("Inventory", "The number of animals with each status.", {
  available: { ...count, description: "Animals that can be ordered." },
  pending: { ...count, description: "Animals that are reserved." },
  sold: { ...count, description: "Animals that are sold." },
} satisfies Record<keyof Counts, JsonSchema>);
