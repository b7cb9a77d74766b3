import type { Database, Statement } from "bun:sqlite";
import type { Int64 } from "../../../base/int64.ts";

/** Inserts rows, given as one list of their values, with few statements, because a statement costs more than a row. Returns the last id. */
export function prepareInserts(
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
    for (let done = 0, rows = maxRows; done < count; done += rows) {
      while (rows > count - done) rows /= 2;
      const some = values.slice(done * columns.length, (done + rows) * columns.length);
      lastId = Number(insert(rows).run(...some).lastInsertRowid);
    }
    return lastId;
  };
}

const maxRows = 256;
