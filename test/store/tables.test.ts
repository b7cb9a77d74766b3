import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { openStore } from "../../src/store/open-store.ts";
import { derivedColumns, derivedTables, tables } from "../../src/store/tables.ts";
import { type Engine, makeDatabase, type TestDatabase } from "../support/database.ts";

/** The columns of every table that a new store has. */
async function schemaOf(database: TestDatabase): Promise<Record<string, string[]>> {
  const rows =
    database.address.kind === "sqlite" ? sqliteColumns(database.address.path) : await postgresColumns(database);
  const schema: Record<string, string[]> = {};
  for (const { name, column } of rows) schema[name] = [...(schema[name] ?? []), column];
  return schema;
}

interface Column {
  readonly name: string;
  readonly column: string;
}

function sqliteColumns(path: string): Column[] {
  using file = new Database(path);
  return file
    .query<Column, []>(
      `SELECT t.name, c.name AS "column" FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
       WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'`,
    )
    .all();
}

async function postgresColumns({ address }: TestDatabase): Promise<Column[]> {
  if (address.kind !== "postgres") return [];
  await using sql = new SQL({ url: address.urls[0] ?? "", max: 1 });
  return await sql.unsafe<Column[]>(
    `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns WHERE table_schema = $1`,
    [address.schema],
  );
}

describe.each<Engine>(["sqlite", "postgres"])("on %s", (engine) => {
  test("everything that a store holds of its own is in the list by which it is copied", async () => {
    await using database = await makeDatabase(engine);
    const store = await openStore(database.address, { poolSize: 1, onDeath: () => {} });
    await store.close();
    const found = await schemaOf(database);
    const derived = Object.keys(derivedTables[engine]);
    const listed = Object.fromEntries(
      tables.map(({ name, columns }) => [name, columns.map(([column]) => column).sort()]),
    );
    const own = Object.entries(found).filter(([name]) => !derived.includes(name));
    const copied = own.map(([name, columns]) => {
      const others = Object.keys(derivedColumns[engine][name] ?? {});
      expect(others.filter((column) => !columns.includes(column))).toEqual([]);
      return [name, columns.filter((column) => !others.includes(column)).sort()];
    });
    expect(Object.fromEntries(copied)).toEqual(listed);
    expect(derived.filter((name) => !(name in found))).toEqual([]);
  });
});
