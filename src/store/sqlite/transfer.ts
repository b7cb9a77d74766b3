import type { Database } from "bun:sqlite";
import { toInt64 } from "../../base/int64.ts";
import type { Table } from "../resource-table.ts";
import type { LastIds } from "../store.ts";
import { columnNames, keyColumnOf, type Row, tables, upsertClause } from "../tables.ts";

export function prepareTransferReads(database: Database) {
  return {
    count: ({ name }: Table): number =>
      database.query<{ count: number }, []>(`SELECT count(*) AS count FROM ${name}`).get()?.count ?? 0,

    read(table: Table, after: Row | undefined, limit: number): Row[] {
      const key = keyColumnOf(table);
      const where = after ? `WHERE ${key} > ?` : "";
      using statement = database
        .prepare(`SELECT ${columnNames(table).join(", ")} FROM ${table.name} ${where} ORDER BY ${key} LIMIT ?`)
        .safeIntegers(true);
      const rows = statement.values(...(after?.slice(0, 1) ?? []), limit) as (bigint | string | Uint8Array | null)[][];
      return rows.map((row) => row.map((value) => (typeof value === "bigint" ? toInt64(value) : value)));
    },

    lastIds(): LastIds {
      const rows = database.query<{ name: string; seq: number }, []>("SELECT name, seq FROM sqlite_sequence").all();
      const last = (table: string) => rows.find(({ name }) => name === table)?.seq ?? 0;
      return Object.fromEntries(tables.filter(({ assignsIds }) => assignsIds).map(({ name }) => [name, last(name)]));
    },
  };
}

export function prepareTransferWrites(database: Database) {
  const addTable = database.prepare(
    "INSERT INTO sqlite_sequence (name, seq) SELECT ?1, 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)",
  );
  const reserve = database.prepare("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1");

  return {
    writeRows({ table, rows }: { readonly table: Table; readonly rows: readonly Row[] }): void {
      const names = columnNames(table);
      using statement = database.prepare(
        `INSERT INTO ${table.name} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")}) ${upsertClause(table)}`,
      );
      for (const row of rows) statement.run(...row);
    },
    reserveIds(last: LastIds): void {
      for (const [table, id] of Object.entries(last)) {
        addTable.run(table);
        reserve.run(table, id);
      }
    },
  };
}
