import { toJson } from "../../base/json.ts";
import type { Transfer } from "../store.ts";
import { type ColumnType, columnNames, keyOf, overwrite, type Row, type Table, tables } from "../tables.ts";
import type { Connection } from "./connection.ts";
import type { EventSettler } from "./event-settler.ts";
import { foldNames } from "./fold-names.ts";
import { fromDigits } from "./pages.ts";
import type { Parameter } from "./query.ts";

export function transferOf(connection: Connection, settler?: EventSettler): Transfer {
  /** What was written down and is not in the log yet belongs to it, and what an older program has written is not folded yet. */
  const complete = async ({ name }: Table) => {
    if (name === "events") await settler?.settleAll();
    if ((name === "pets" || name === "categories") && settler) await foldNames(connection.query, name);
  };
  return {
    async count(table) {
      const { name } = table;
      await complete(table);
      const [row] = await connection.query<{ count: string }>(`SELECT count(*) AS count FROM store.${name}`);
      return Number(row?.count);
    },

    async read(table, after, limit) {
      if (after === undefined) await complete(table);
      const key = keyOf(table);
      const [last] = after ?? [];
      const parameters: Parameter[] = last === undefined ? [] : [typeof last === "bigint" ? String(last) : last];
      const rows = await connection.query<Readonly<Record<string, string | Uint8Array | null>>>(
        `SELECT ${columnNames(table).join(", ")} FROM store.${table.name} ${after ? `WHERE ${key} > $1` : ""}
         ORDER BY ${key} LIMIT $${parameters.push(limit)}`,
        parameters,
      );
      return rows.map((row) => table.columns.map(([name, type]) => fromColumn(row[name] ?? null, type)));
    },

    async write(table, rows) {
      const names = columnNames(table).join(", ");
      const types = table.columns.map(([name, type]) => `${name} ${columnTypes[type]}`).join(", ");
      await connection.query(
        `INSERT INTO store.${table.name} (${names}) OVERRIDING SYSTEM VALUE
         SELECT ${names} FROM json_to_recordset($1::text::json) AS rows (${types}) ${overwrite(table)}`,
        [toJson(rows.map((row) => toRecord(table, row)))],
      );
    },

    async lastIds() {
      const last: Record<string, number> = {};
      for (const { name } of tables.filter(({ givesIds }) => givesIds)) {
        const [row] = await connection.query<{ id: string }>(`SELECT ${lastIdOf(name)} AS id`);
        last[name] = Number(row?.id ?? 0);
      }
      return last;
    },

    async reserveIds(last) {
      for (const [table, id] of Object.entries(last)) {
        if (id === 0) continue;
        await connection.query(
          `SELECT setval(pg_get_serial_sequence('store.${table}', 'id'), greatest($1, coalesce(${lastIdOf(table)}, 1)))`,
          [id],
        );
      }
    },
  };
}

const columnTypes: Readonly<Record<ColumnType, string>> = { integer: "bigint", text: "text", bytes: "bytea" };

function lastIdOf(table: string): string {
  return `pg_sequence_last_value(pg_get_serial_sequence('store.${table}', 'id'))`;
}

function fromColumn(value: string | Uint8Array | null, type: ColumnType): Row[number] {
  return typeof value === "string" && type === "integer" ? fromDigits(value) : value;
}

function toRecord({ columns }: Table, row: Row): object {
  return Object.fromEntries(
    columns.map(([name], index) => {
      const value = row[index] ?? null;
      return [name, value instanceof Uint8Array ? `\\x${Buffer.from(value).toString("hex")}` : value];
    }),
  );
}
