import type { Int64 } from "../../base/int64.ts";
import { type Inventory, maxInventoryCount, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { oneTakenForMany } from "./pages.ts";
import type { Query } from "./query.ts";
import type { Connection } from "./servers/connection.ts";

export async function readInventory(query: Query): Promise<Inventory> {
  const rows = await query<{ status: PetStatus; count: string }>(
    `SELECT status, sum(change) AS count FROM ${query.schema}.inventory_changes GROUP BY status`,
  );
  const inventory = { available: 0, pending: 0, sold: 0 };
  for (const { status, count } of rows) inventory[status] = Number(count);
  return inventory;
}

/** Each count is a walk along the index, as lists are (see `walkOf` in pages.ts). */
export async function readCategoryInventory(query: Query, categoryId: Int64): Promise<Inventory> {
  const counts = petStatuses.map(
    (status) => `(SELECT count(*) FROM (
       SELECT 1 FROM ${query.schema}.pets, ${oneTakenForMany}
       WHERE (category_id, status, id) > ($1, '${status}', 0) AND (category_id, status) <= ($1, '${status}')
       ORDER BY category_id, status, id LIMIT ${maxInventoryCount}
     ) AS found) AS ${status}`,
  );
  const [row] = await query<Record<PetStatus, string>>(`SELECT ${counts.join(", ")}`, [String(categoryId)]);
  const inventory = { available: 0, pending: 0, sold: 0 };
  for (const status of petStatuses) inventory[status] = Number(row?.[status]);
  return inventory;
}

/** Replaces many changes by their sum. Instances that do so at once take different rows. */
export async function sumUpInventory(primary: Connection): Promise<void> {
  await primary.transaction(async (query) => {
    // A cached plan that was made while there were few changes would compare each with each.
    await query("SET LOCAL enable_nestloop = off");
    await query(
      `WITH summed AS (
         DELETE FROM ${query.schema}.inventory_changes WHERE ctid IN (
           SELECT ctid FROM ${query.schema}.inventory_changes WHERE (SELECT count(*) FROM ${query.schema}.inventory_changes) > ${maxLeft}
           LIMIT ${maxAtOnce} FOR UPDATE SKIP LOCKED
         ) RETURNING status, change
       )
       INSERT INTO ${query.schema}.inventory_changes (status, change)
       SELECT status, sum(change) FROM summed GROUP BY status HAVING sum(change) <> 0`,
    );
  });
}

const maxAtOnce = 100_000;
/** Every read adds up so few within microseconds. */
const maxLeft = 100;
