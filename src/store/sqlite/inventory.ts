import type { Database } from "bun:sqlite";
import type { Inventory, PetStatus } from "../../domain/pet.ts";

export function inventoryReader(database: Database): () => Inventory {
  const counts = database.prepare<{ status: PetStatus; count: number }, []>("SELECT status, count FROM inventory");
  return () => {
    const inventory = { available: 0, pending: 0, sold: 0 };
    for (const { status, count } of counts.all()) inventory[status] = count;
    return inventory;
  };
}
