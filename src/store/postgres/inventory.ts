import type { Int64 } from "../../base/int64.ts";
import { type Inventory, maxInventoryCount, type PetStatus, petStatuses } from "../../domain/pet.ts";
import { overestimatedRow, type Query } from "./query.ts";
import type { Connection } from "./servers/connection.ts";

export async function readInventory(query: Query): Promise<Inventory> {
  const rows = await query<{ status: PetStatus; count: string }>(
    `SELECT status, sum(change) AS count FROM ${query.schema}.inventory_changes GROUP BY status`,
  );
  const counts = rows.map(({ status, count }) => [status, Number(count)]);
  return { available: 0, pending: 0, sold: 0, ...Object.fromEntries(counts) };
}

/** Counts the animals of a category with one walk along the index for each status, like `walkIndex` in pages.ts. */
export async function readCategoryInventory(query: Query, categoryId: Int64): Promise<Inventory> {
  const counts = petStatuses.map(
    (status) => `(SELECT count(*)::integer FROM (
       SELECT 1 FROM ${query.schema}.pets, ${overestimatedRow}
       WHERE (category_id, status, id) > ($1, '${status}', 0) AND (category_id, status) <= ($1, '${status}')
       ORDER BY category_id, status, id LIMIT ${maxInventoryCount}
     ) AS found) AS ${status}`,
  );
  const [row] = await query<Inventory>(`SELECT ${counts.join(", ")}`, [String(categoryId)]);
  return { available: 0, pending: 0, sold: 0, ...row };
}

export async function sumUpInventory(primary: Connection): Promise<void> {
  await primary.transaction(async (query) => {
    const changes = `${query.schema}.inventory_changes`;
    // A plan that was cached while the table was small would use a nested loop, which is quadratic.
    await query("SET LOCAL enable_nestloop = off");
    await query(
      `WITH summed AS (
         DELETE FROM ${changes} WHERE ctid IN (
           SELECT ctid FROM ${changes} WHERE (SELECT count(*) FROM ${changes}) > ${minRowsToSum}
           LIMIT ${maxRowsAtOnce} FOR UPDATE SKIP LOCKED
         ) RETURNING status, change
       )
       INSERT INTO ${changes} (status, change)
       SELECT status, sum(change) FROM summed GROUP BY status HAVING sum(change) <> 0`,
    );
  });
}

const maxRowsAtOnce = 100_000;
/** A read adds up this many rows within microseconds. */
const minRowsToSum = 100;
