import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, openSync } from "node:fs";

/**
 * Locks a file that is there for nothing else, until it is disposed of or the process ends, however that ends. Returns undefined if
 * another process has it. Throws what the system says if the file cannot be made; where there are no locks, nobody has it.
 */
export function lockFile(path: string): Disposable | undefined {
  closeSync(openSync(path, "a", 0o600));
  // The runtime has no locks of files. Those of SQLite are there on every system, and nothing is written for them.
  const database = new Database(path);
  try {
    database.run("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return undefined;
    return { [Symbol.dispose]() {} };
  }
  return { [Symbol.dispose]: () => database.close() };
}
