import type { Database, Statement } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";

/**
 * Animals to be added one after the other, as one list of names, categories and statuses: nothing costs less to send to
 * another thread, and they are inserted by few statements.
 */
export interface Additions {
  readonly additions: readonly (string | Int64)[];
}

/** So many animals were added, with consecutive ids. */
export interface Added {
  readonly firstId: number;
  readonly count: number;
}

/** Additions one by one; any other write as it is. */
export function separate<Write extends object>(write: Write | Additions): (Write | Additions)[] {
  if (!("additions" in write)) return [write];
  const all: Additions[] = [];
  for (let index = 0; index < write.additions.length; index += fields) {
    all.push({ additions: write.additions.slice(index, index + fields) });
  }
  return all;
}

/** Within a transaction, SQLite gives the rows of one statement ids that follow each other. */
export function prepareAdditions(database: Database): (additions: Additions) => Added {
  const statements = new Map<number, Statement>();
  const insert = (rows: number): Statement => {
    let statement = statements.get(rows);
    if (!statement) {
      const values = Array.from({ length: rows }, () => "(?, ?, ?)").join(", ");
      statement = database.prepare(`INSERT INTO pets (name, category_id, status) VALUES ${values}`);
      statements.set(rows, statement);
    }
    return statement;
  };
  return ({ additions }) => {
    const count = additions.length / fields;
    let lastId = 0;
    // Powers of two, so that there are few statements to prepare.
    for (let done = 0, rows = mostRows; done < count; ) {
      while (rows > count - done) rows /= 2;
      const values = additions.slice(done * fields, (done + rows) * fields);
      lastId = Number(insert(rows).run(...values).lastInsertRowid);
      done += rows;
    }
    return { firstId: lastId - count + 1, count };
  };
}

const fields = 3;
const mostRows = 256;
