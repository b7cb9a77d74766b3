import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { SQL } from "bun";
import { openStore } from "../../src/store/open-store.ts";
import { tables } from "../../src/store/tables.ts";
import { type Engine, makeDatabase, type TestDatabase } from "../support/database.ts";

/** Tables that are not copied: the schema's history, data derived from other tables, the log of deliveries, and short-lived quotas. */
const derivedTables: Readonly<Record<Engine, readonly string[]>> = {
  sqlite: ["migrations", "inventory", "updates", "webhook_deliveries"],
  postgres: ["migrations", "inventory_changes", "webhook_deliveries", "event_inbox", "quota_uses", "quota_windows"],
};

/** Columns of PostgreSQL that are not copied: the number of events in a row, and a checksum of a name. */
const derivedColumns: Readonly<Record<string, string>> = { events: "size", pets: "folding", categories: "folding" };

async function readSchema(database: TestDatabase): Promise<Record<string, string[]>> {
  const rows =
    database.address.kind === "sqlite" ? readSqliteColumns(database.address.path) : await readPostgresColumns(database);
  const schema: Record<string, string[]> = {};
  for (const { name, column } of rows) schema[name] = [...(schema[name] ?? []), column];
  return schema;
}

interface Column {
  readonly name: string;
  readonly column: string;
}

function readSqliteColumns(path: string): Column[] {
  using file = new Database(path);
  return file
    .query<Column, []>(
      `SELECT t.name, c.name AS "column" FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all();
}

async function readPostgresColumns({ address }: TestDatabase): Promise<Column[]> {
  if (address.kind !== "postgres") return [];
  await using sql = new SQL({ url: address.urls[0] ?? "", max: 1 });
  return await sql.unsafe<Column[]>(
    `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns WHERE table_schema = $1`,
    [address.schema],
  );
}

test.each<Engine>(["sqlite", "postgres"])(
  "every table and column of a store on %s is copied or derived",
  async (engine) => {
    await using database = await makeDatabase(engine);
    const store = await openStore(database.address, { poolSize: 1, onDeath: () => {} });
    await store.close();
    const actual = await readSchema(database);
    for (const name of derivedTables[engine]) {
      expect(actual).toContainKey(name);
      delete actual[name];
    }
    if (engine === "postgres") {
      for (const [name, column] of Object.entries(derivedColumns)) {
        expect(actual[name]).toContain(column);
        actual[name] = actual[name]?.filter((one) => one !== column) ?? [];
      }
    }
    const sorted = Object.entries(actual).map(([name, columns]) => [name, columns.sort()]);
    const copied = tables.map(({ name, columns }) => [name, columns.map(([column]) => column).sort()]);
    expect(Object.fromEntries(sorted)).toEqual(Object.fromEntries(copied));
  },
);
