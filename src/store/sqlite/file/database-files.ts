import { chmodSync, constants, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { copyOwner, createPrivateFile, readStart } from "../../../base/files.ts";

/** Returns the path of the write-ahead log, which holds commits that are not in the database file yet. */
export function walOf(path: string): string {
  return `${path}-wal`;
}

/** Returns the path of the index of the WAL, which all processes with an open connection share. */
export function walIndexOf(path: string): string {
  return `${path}-shm`;
}

/** Returns the path of the rollback journal, which exists only while a database is created. */
export function journalOf(path: string): string {
  return `${path}-journal`;
}

export function filesOf(path: string): string[] {
  return [path, walOf(path), walIndexOf(path), journalOf(path)];
}

/** Returns 0 for a missing file. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Creates an empty database file, and any missing folders above it, for its owner alone. */
export function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  createPrivateFile(path, constants.O_RDWR | constants.O_CREAT);
  copyOwner(dirname(path), path);
}

/** Removes the rights of other users. SQLite copies the permissions of the database file to the files that it creates beside it. */
export function restrictToOwner(path: string): void {
  for (const file of filesOf(path)) {
    try {
      if (((statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0) chmodSync(file, 0o600);
    } catch (error) {
      // Only the owner can protect a file, and a file that was removed meanwhile needs no protection.
      if (!["EPERM", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
}

/** Returns true for a SQLite database, and for any name that SQLite uses, or would use, beside a database. */
export function belongsToDatabase(path: string): boolean {
  return filesOf("").some((suffix) => {
    const database = path.slice(0, path.length - suffix.length);
    const isFile = path.endsWith(suffix) && statSync(database, { throwIfNoEntry: false })?.isFile();
    return isFile && startsDatabase(readStart(database, databaseStart.length));
  });
}

export function startsDatabase(bytes: Buffer): boolean {
  return bytes.toString("latin1", 0, databaseStart.length) === databaseStart;
}

const databaseStart = "SQLite format 3\0";
