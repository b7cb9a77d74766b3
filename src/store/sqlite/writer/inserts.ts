import type { Database, SQLQueryBindings, Statement } from "bun:sqlite";
import type { Int64 } from "../../../base/int64.ts";
import { namesOf, pick } from "../../../domain/fields.ts";
import { columnsOf, type ResourceTable } from "../../resource-table.ts";

/** Inserts rows, given as one list of their values, with few statements, because a statement costs more than a row. Returns the last id. */
export function insertsOf(
  database: Database,
  table: string,
  columns: readonly string[],
): (values: readonly (string | Int64 | null)[]) => number {
  const statements = new Map<number, Statement>();
  const row = `(${columns.map(() => "?").join(", ")})`;
  const insert = (rows: number): Statement => {
    let statement = statements.get(rows);
    if (!statement) {
      const all = Array.from({ length: rows }, () => row).join(", ");
      statement = database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES ${all}`);
      statements.set(rows, statement);
    }
    return statement;
  };
  return (values) => {
    const count = values.length / columns.length;
    let lastId = 0;
    // Powers of two limit the number of prepared statements.
    for (let done = 0, rows = mostRows; done < count; done += rows) {
      while (rows > count - done) rows /= 2;
      const some = values.slice(done * columns.length, (done + rows) * columns.length);
      lastId = Number(insert(rows).run(...some).lastInsertRowid);
    }
    return lastId;
  };
}

const mostRows = 256;

/** Prepares the insert of a resource, whose id the database assigns. Returns the stored row. */
export function prepareInsert<Item extends { readonly id: number }>(
  database: Database,
  { name, fields, selected }: ResourceTable,
): (item: Omit<Item, "id">) => Item {
  const { id: _id, ...given } = fields;
  const columns = columnsOf(given);
  const statement = database.prepare<Item, SQLQueryBindings[]>(
    `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")}) RETURNING ${selected}`,
  );
  return (item) => {
    const row = statement.get(
      ...(Object.values(pick(item as object, namesOf(given) as never[])) as SQLQueryBindings[]),
    );
    if (!row) throw new Error(`An insert into ${name} returned no row.`);
    return row;
  };
}
