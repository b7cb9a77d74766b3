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
  const prepare = (rowCount: number): Statement => {
    const values = Array.from({ length: rowCount }, () => row).join(", ");
    const statement = database.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES ${values}`);
    statements.set(rowCount, statement);
    return statement;
  };
  return (values) => {
    const count = values.length / columns.length;
    let lastId = 0;
    // Powers of two limit the number of prepared statements.
    for (let insertedCount = 0, rowCount = maxRows; insertedCount < count; insertedCount += rowCount) {
      while (rowCount > count - insertedCount) rowCount /= 2;
      const batch = values.slice(insertedCount * columns.length, (insertedCount + rowCount) * columns.length);
      lastId = Number((statements.get(rowCount) ?? prepare(rowCount)).run(...batch).lastInsertRowid);
    }
    return lastId;
  };
}

const maxRows = 256;
