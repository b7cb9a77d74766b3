import { Database } from "bun:sqlite";

/** Opens the only connection that writes: at first to migrate the file, then in the writer thread. */
export function connectWriter(path: string, isBulk = false): Database {
  const database = new Database(path, { readwrite: true, strict: true });
  database.run(`PRAGMA busy_timeout = ${maxLockMs}`);
  // FULL makes commits durable before they are acknowledged; macOS needs fullfsync as well.
  database.run("PRAGMA synchronous = FULL");
  database.run("PRAGMA fullfsync = ON");
  // A batch touches a page per category in the indexes; pages that do not fit in the cache are written repeatedly.
  database.run(`PRAGMA cache_size = -${16 * 1024}`);
  // A commit that checkpoints a long WAL delays the writes in the queue; in a bulk load, no client waits for single writes.
  if (isBulk) database.run(`PRAGMA wal_autocheckpoint = ${bulkCheckpointPages}`);
  // With this limit, SQLite shrinks a WAL that grew during a long read transaction.
  else database.run(`PRAGMA journal_size_limit = ${defaultWalBytes}`);
  return database;
}

/** Truncates the WAL. Returns false if a read transaction prevents that for longer than writes can wait. */
export function truncateWal(database: Database): boolean {
  database.run("PRAGMA busy_timeout = 100");
  try {
    return database.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } finally {
    database.run(`PRAGMA busy_timeout = ${maxLockMs}`);
  }
}

export const maxLockMs = 5_000;

/** Maximum length of the WAL, except during long read transactions and bulk loads. */
export const defaultWalBytes = 16 * 2 ** 20;

/** 64 MiB of pages: fewer checkpoints write fewer pages and wait for the disk less often. */
const bulkCheckpointPages = 16_384;

/** Opens a connection that waits for locks only briefly, because a wait blocks the server's thread. */
export function connectReader(path: string): Database {
  const database = new Database(path, { readwrite: true, strict: true });
  database.run("PRAGMA busy_timeout = 100");
  database.run("PRAGMA query_only = ON");
  return database;
}
