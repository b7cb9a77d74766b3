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
  const expect = (holds: boolean, complaint: string) => holds || tally.fault(complaint);
  if (address.kind === "sqlite") expect(isSound(address.path), "The database is damaged.");

  await using database = openedAt(address);
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
  const told = ledger.added.union(new Set(initial));
  const unseen = stored.union(ledger.deleted).difference(told);
  expect(
    unseen.size <= ledger.addedUnseen,
    `There are ${unseen.size} animals that no client was told of, and ${ledger.addedUnseen} at most may have been added unseen.`,
  );
  const lost = [...told].filter((id) => !stored.has(id) && !ledger.deleted.has(id));
  expect(
    lost.length <= ledger.deletedUnnamed,
    `Animals that were added and not deleted, and are not there: ${lost.slice(0, 20).join(", ")}.`,
  );
  const risen = [...ledger.deleted].filter((id) => stored.has(id));
  expect(risen.length === 0, `Animals that were deleted and are there: ${risen.slice(0, 20).join(", ")}.`);
  tally.notes.push(
    `Clients were told of ${ledger.added.size} new animals, ${unseen.size} were added unseen, ${ledger.deleted.size} deleted; ${stored.size} are left.`,
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

function openedAt(address: DatabaseAddress): OpenedDatabase {
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
