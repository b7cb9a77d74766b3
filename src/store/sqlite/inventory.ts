import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import { type Inventory, mostCounted, type PetStatus, petStatuses } from "../../domain/pet.ts";

export function inventoryReader(database: Database): () => Inventory {
  const counts = database.prepare<{ status: PetStatus; count: number }, []>("SELECT status, count FROM inventory");
  return () => {
    const inventory = { available: 0, pending: 0, sold: 0 };
    for (const { status, count } of counts.all()) inventory[status] = count;
    return inventory;
  };
}

export function categoryInventoryReader(database: Database): (categoryId: Int64) => Inventory {
  const counts = petStatuses.map(
    (status) =>
      `(SELECT count(*) FROM (SELECT 1 FROM pets INDEXED BY pets_by_category_and_status WHERE category_id = ?1 AND status = '${status}' LIMIT ${mostCounted})) AS ${status}`,
  );
  const count = database.prepare<Inventory, [Int64]>(`SELECT ${counts.join(", ")}`);
  return (categoryId) => count.get(categoryId) as Inventory;
}
