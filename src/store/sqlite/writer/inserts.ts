import type { Database, Statement } from "bun:sqlite";
import type { Int64 } from "../../../base/int64.ts";

/** Returns a function that inserts rows from a flat list, many per statement because statements are costly, and returns the last id. */
export function prepareInserts(
  database: Database,
  table: string,
  columns: readonly string[],
): (values: readonly (string | Int64 | null)[]) => number {
  const statements = new Map<number, Statement>();
  const row = `(${columns.map(() => "?").join(", ")})`;
  const prepare = (rows: number): Statement => {
    const values = Array.from({ length: rows }, () => row).join(", ");
    const statement = database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES ${values}`);
    statements.set(rows, statement);
    return statement;
  };
  return (values) => {
    const count = values.length / columns.length;
    let lastId = 0;
    // Powers of two limit the number of prepared statements.
    for (let done = 0, rows = maxRows; done < count; done += rows) {
      while (rows > count - done) rows /= 2;
      const some = values.slice(done * columns.length, (done + rows) * columns.length);
      lastId = Number((statements.get(rows) ?? prepare(rows)).run(...some).lastInsertRowid);
    }
    return lastId;
  };
}

const maxRows = 256;
