import { Database, SQLiteError } from "bun:sqlite";
import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";

/**
 * Locks a file that is there for nothing else, until it is disposed of or the process ends, however that ends. Returns undefined if
 * another process has it; one that has it itself must not ask. Throws what the system says if the file cannot be made. Where there
 * are no locks, nobody has it.
 */
export function lockFile(path: string): Disposable | undefined {
  // Whatever is there by mistake is emptied, or refused: a pipe would be waited for.
  closeSync(openSync(path, toEmpty, 0o600));
  // The runtime has no locks of files. Those of SQLite are there on every system, and nothing is written for them.
  const database = new Database(path);
  try {
    database.run("PRAGMA busy_timeout = 50; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof SQLiteError && error.code === "SQLITE_BUSY") return undefined;
    return { [Symbol.dispose]() {} };
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** True if this process has SQLite's lock of writers, which is on byte 120 of the index of the log. Only Linux tells. */
export function hasWriteLock(): boolean {
  if (!existsSync("/proc/locks")) return false;
  const own = new RegExp(`POSIX +ADVISORY +WRITE +${process.pid} \\S+ 120 `);
  return own.test(readFileSync("/proc/locks", "latin1"));
}

const { O_WRONLY, O_CREAT, O_TRUNC, O_NOFOLLOW, O_NONBLOCK } = constants;
const toEmpty = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK;
