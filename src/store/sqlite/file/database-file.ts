import { closeSync, openSync, readSync, statSync } from "node:fs";
import { journalOf, logIndexOf, logOf } from "./paths.ts";

/** Whether a file is a SQLite database, or has the name of one that SQLite has, or would make, beside a database. */
export function isOfDatabase(path: string): boolean {
  return [path, ...databasesBeside(path)].some(isDatabase);
}

/** Those that would have a file of that name beside them. */
function databasesBeside(path: string): string[] {
  return [logOf, logIndexOf, journalOf].flatMap((nameBeside) => {
    const suffix = nameBeside("");
    return path.endsWith(suffix) ? [path.slice(0, -suffix.length)] : [];
  });
}

function isDatabase(path: string): boolean {
  if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false;
  return startsDatabase(readStart(path, databaseStart.length));
}

export function startsDatabase(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, databaseStart.length) === databaseStart;
}

const databaseStart = "SQLite format 3\0";

/** So many of the first bytes of a file, or all of a shorter one. */
export function readStart(path: string, length: number): Buffer {
  const file = openSync(path, "r");
  try {
    const start = Buffer.alloc(length);
    return start.subarray(0, readSync(file, start));
  } finally {
    closeSync(file);
  }
}
