import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, constants, openSync } from "node:fs";

/** Returns undefined if another process holds the lock. A second call of the lock's owner would release the lock. */
export function lockFile(path: string): Disposable | undefined {
  // Truncates a file that was put at this path by mistake, refuses links, and does not block on a pipe.
  closeSync(openSync(path, flags, 0o600));
  // The runtime cannot lock files. SQLite can, on every system, and without writing to the file.
  const database = new Database(path);
  try {
    database.run("PRAGMA busy_timeout = 50; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    // On file systems without locks, every request for a lock succeeds.
    return error instanceof SQLiteError && error.code === "SQLITE_BUSY" ? undefined : { [Symbol.dispose]() {} };
  }
  return { [Symbol.dispose]: () => database.close() };
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
const flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;
