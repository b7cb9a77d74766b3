import { Database } from "bun:sqlite";

/** The connection that writes: there is one, in the Worker, besides the one that migrates before it starts. */
export function connectWriter(path: string, isBulk = false): Database {
  const database = new Database(path, { readwrite: true, strict: true });
  waitForLocks(database, longestLockMs);
  // With FULL, a commit is on the disk before it is answered; macOS needs the second line for that.
  database.run("PRAGMA synchronous = FULL");
  database.run("PRAGMA fullfsync = ON");
  // A batch of animals touches a page of the indexes for each category; pages that do not fit are written more than once.
  database.run(`PRAGMA cache_size = -${isBulk ? bulkCacheKib : writerCacheKib}`);
  // A commit that finds the log this long moves it into the file, and keeps those behind it waiting the longer, the longer it is.
  if (isBulk) database.run(`PRAGMA wal_autocheckpoint = ${bulkCheckpointPages}`);
  // One that grew while somebody read for long gives its room back when it is begun anew.
  else database.run(`PRAGMA journal_size_limit = ${usualLogBytes}`);
  return database;
}

/**
 * Folds the log into the file and empties it. Returns whether it is empty: somebody may read it for longer than writes can be kept
 * waiting.
 */
export function emptyLog(database: Database): boolean {
  waitForLocks(database, 100);
  try {
    return database.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } finally {
    waitForLocks(database, longestLockMs);
  }
}

function waitForLocks(database: Database, mostMs: number): void {
  database.run(`PRAGMA busy_timeout = ${mostMs}`);
}

export const longestLockMs = 5_000;

/** A log is shorter than this unless somebody reads for long, or adds in bulk. Folding so much takes a moment. */
export const usualLogBytes = 16 * 2 ** 20;

/** 64 MiB: pages that are changed again and again are moved once, and the disk is waited for less often. */
const bulkCheckpointPages = 16_384;

const writerCacheKib = 16 * 1024;

/** Thousands of animals in a transaction dirty more pages than would fit anyway. */
const bulkCacheKib = 6 * 1024;

/** The connection that reads, in the server's thread, where it must never wait for long. */
export function connectReader(path: string): Database {
  const database = new Database(path, { readwrite: true, strict: true });
  waitForLocks(database, 100);
  database.run("PRAGMA query_only = ON");
  return database;
}
