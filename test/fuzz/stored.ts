import { Database } from "bun:sqlite";
import { SQL } from "bun";
import type { DatabaseAddress } from "../../src/base/database-address.ts";
import type { Ledger } from "./ledger.ts";
import type { Tally } from "./tally.ts";
import { initialCounts } from "./world.ts";

/** Checks that the store matches the responses that clients received. */
export async function compareWithStore(
  address: DatabaseAddress,
  inventory: unknown,
  ledger: Ledger,
  tally: Tally,
): Promise<void> {
  const expect = (holds: boolean, message: string) => holds || tally.fault(message);
  if (address.kind === "sqlite") expect(isSound(address.path), "The database is damaged.");

  await using database = openDatabase(address);
  const counts: Record<string, number> = {};
  for (const status of ["available", "pending", "sold"]) {
    const [count = 0] = await database.numbers(`SELECT count(*) FROM pets WHERE status = '${status}'`);
    counts[status] = count;
  }
  expect(
    Bun.deepEquals(counts, inventory),
    `The inventory was ${JSON.stringify(inventory)}; there are ${JSON.stringify(counts)}.`,
  );
  const strays = await database.numbers(
    `SELECT orders.id FROM orders LEFT JOIN pets ON pets.id = pet_id
     WHERE orders.status = 'placed' AND (pets.status IS NULL OR pets.status <> 'pending')`,
  );
  expect(strays.length === 0, `Open orders whose animal is not pending: ${strays.join(", ")}.`);

  const stored = new Set(await database.numbers("SELECT id FROM pets"));
  const initial = Array.from({ length: initialCounts.pets }, (_, index) => index + 1);
  const reported = ledger.added.union(new Set(initial));
  const unseen = stored.union(ledger.deleted).difference(reported);
  expect(
    unseen.size <= ledger.addedUnseen,
    `There are ${unseen.size} animals that no response reported, but at most ${ledger.addedUnseen} may have been added without one.`,
  );
  const lost = [...reported].filter((id) => !stored.has(id) && !ledger.deleted.has(id));
  expect(
    lost.length <= ledger.unknownDeletionCount,
    `Animals that were added and not deleted, but are missing: ${lost.slice(0, 20).join(", ")}.`,
  );
  const undeleted = [...ledger.deleted].filter((id) => stored.has(id));
  expect(undeleted.length === 0, `Animals that were deleted, but still exist: ${undeleted.slice(0, 20).join(", ")}.`);
  tally.notes.push(
    `Responses reported ${ledger.added.size} new animals; ${unseen.size} were added without a response, ${ledger.deleted.size} deleted; ${stored.size} are left.`,
  );
}

function isSound(path: string): boolean {
  using database = new Database(path, { readonly: true });
  return database.query("PRAGMA integrity_check").values().join() === "ok";
}

interface OpenedDatabase extends AsyncDisposable {
  /** Returns the first column of the result of a statement that both engines support. */
  numbers(sql: string): Promise<number[]>;
}

function openDatabase(address: DatabaseAddress): OpenedDatabase {
  const firstOf = (rows: readonly unknown[][]) => rows.map(([value]) => Number(value));
  if (address.kind === "sqlite") {
    const database = new Database(address.path, { readonly: true });
    return {
      numbers: async (sql) => firstOf(database.query(sql).values()),
      [Symbol.asyncDispose]: async () => database.close(),
    };
  }
  const database = new SQL({ url: address.urls[0] ?? "", max: 1, connection: { search_path: address.schema } });
  return {
    numbers: async (sql) => firstOf(await database.unsafe(sql).values()),
    [Symbol.asyncDispose]: () => database.close(),
  };
}
