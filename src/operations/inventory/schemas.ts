import { petStatuses } from "../../domain/pet.ts";

const count = { type: "integer", minimum: 0 } as const;

export const Inventory = {
  $id: "Inventory",
  type: "object",
  description: "The number of animals with each status.",
  required: petStatuses,
  properties: {
    available: { ...count, description: "Animals that can be ordered." },
    pending: { ...count, description: "Animals that are reserved." },
    sold: { ...count, description: "Animals that are sold." },
  },
} as const;
