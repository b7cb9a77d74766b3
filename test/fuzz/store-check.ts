import { Database } from "bun:sqlite";
import { SQL } from "bun";
import type { DatabaseAddress } from "../../src/base/database-address.ts";
import type { Ledger } from "./ledger.ts";
import type { Tally } from "./tally.ts";
import { initialCounts } from "./world.ts";

export async function compareWithStore(
  address: DatabaseAddress,
  inventory: unknown,
  ledger: Ledger,
  tally: Tally,
): Promise<void> {
  const check = (isCorrect: boolean, message: string) => isCorrect || tally.failRun(message);
  if (address.kind === "sqlite") check(isIntact(address.path), "The database is damaged.");

  await using database = openDatabase(address);
  const counts: Record<string, number> = {};
  for (const status of ["available", "pending", "sold"]) {
    const [count = 0] = await database.queryNumbers(`SELECT count(*) FROM pets WHERE status = '${status}'`);
    counts[status] = count;
  }
  check(
    Bun.deepEquals(counts, inventory),
    `The inventory was ${JSON.stringify(inventory)}; there are ${JSON.stringify(counts)}.`,
  );
  const strayOrderIds = await database.queryNumbers(
    `SELECT orders.id FROM orders LEFT JOIN pets ON pets.id = pet_id
     WHERE orders.status = 'placed' AND (pets.status IS NULL OR pets.status <> 'pending')`,
  );
  check(strayOrderIds.length === 0, `Open orders whose animal is not pending: ${strayOrderIds.join(", ")}.`);

  const storedIds = new Set(await database.queryNumbers("SELECT id FROM pets"));
  const initialIds = Array.from({ length: initialCounts.pets }, (_, index) => index + 1);
  const reportedIds = ledger.addedIds.union(new Set(initialIds));
  const unreportedIds = storedIds.union(ledger.deletedIds).difference(reportedIds);
  check(
    unreportedIds.size <= ledger.maxUnreportedAdditions,
    `There are ${unreportedIds.size} animals that no response reported, but at most ${ledger.maxUnreportedAdditions} may have been added without one.`,
  );
  const lostIds = [...reportedIds].filter((id) => !storedIds.has(id) && !ledger.deletedIds.has(id));
  check(
    lostIds.length <= ledger.unknownDeletionCount,
    `Animals that were added and not deleted, but are missing: ${lostIds.slice(0, 20).join(", ")}.`,
  );
  const undeletedIds = [...ledger.deletedIds].filter((id) => storedIds.has(id));
  check(
    undeletedIds.length === 0,
    `Animals that were deleted, but still exist: ${undeletedIds.slice(0, 20).join(", ")}.`,
  );
  tally.notes.push(
    `Responses reported ${ledger.addedIds.size} new animals; ${unreportedIds.size} were added without a response, ${ledger.deletedIds.size} deleted; ${storedIds.size} are left.`,
  );
}

function isIntact(path: string): boolean {
  using database = new Database(path, { readonly: true });
  return database.query("PRAGMA integrity_check").values().join() === "ok";
}

interface OpenedDatabase extends AsyncDisposable {
  /** Returns the first column of the result of a statement that both engines support. */
  queryNumbers(sql: string): Promise<number[]>;
}

function openDatabase(address: DatabaseAddress): OpenedDatabase {
  const toNumbers = (rows: readonly unknown[][]) => rows.map(([value]) => Number(value));
  if (address.kind === "sqlite") {
    const database = new Database(address.path, { readonly: true });
    return {
      queryNumbers: async (sql) => toNumbers(database.query(sql).values()),
      [Symbol.asyncDispose]: async () => database.close(),
    };
  }
  const database = new SQL({ url: address.urls[0] ?? "", max: 1, connection: { search_path: address.schema } });
  return {
    queryNumbers: async (sql) => toNumbers(await database.unsafe(sql).values()),
    [Symbol.asyncDispose]: () => database.close(),
  };
}
