import { Database } from "bun:sqlite";
import { accessSync, closeSync, constants, mkdirSync, openSync, readSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreOpenError } from "../store.ts";
import { toFailure } from "./errors.ts";
import { applicationId, newestVersion, schemaVersion } from "./migrate.ts";

/**
 * Refuses a file that this program must not write to, having changed nothing in it: one that is
 * somebody else's, is damaged, or was written by a newer program.
 */
export function examineFile(path: string): void {
  const header = readHeader(path);
  if (header.length === 0) return;
  if (header.toString("latin1", 0, 16) !== "SQLite format 3\0" || header.length < headerLength) {
    throw new StoreOpenError(
      `${path} is not a database of the animal store. Name another file, or one that does not exist yet.`,
    );
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw new StoreOpenError(`${path} is a SQLite database, but not one of the animal store. Name another file.`);
  }
  // A start that was killed while it made the file has left a journal, by which SQLite undoes what was half done.
  if (sizeOf(`${path}-journal`) > 0) return;
  if (isTruncated(path, header)) throw damaged(path, "it is shorter than its own header says");
  examineContents(path);
}

/** The version of the schema in a file, having changed nothing in it. */
export function examineVersion(path: string): number {
  if (readHeader(path).length === 0) return 0;
  examineFile(path);
  using database = new Database(path, { readonly: true });
  return schemaVersion(database);
}

/** One line for the operator, whatever it was that the file system or SQLite refused. */
export function explainOpenError(path: string, error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const { code, message } = toFailure(error);
  if (code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB") return damaged(path, message);
  if (code.startsWith("SQLITE_BUSY")) {
    return new StoreOpenError(`${path} is locked by another program. Stop that program, then start again.`);
  }
  if (code === "SQLITE_FULL") return new StoreOpenError(`${path} cannot be written: the disk is full.`);
  const reason = code === "UNKNOWN" && error instanceof Error ? error.message : message;
  return new StoreOpenError(`${path} cannot be opened for writing: ${reason}.`);
}

/** Tells the file that is open from another that has since taken its name; 0 if there is none. */
export function inodeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ino ?? 0;
}

export const fileIsGone = "its file was removed or replaced";

const headerLength = 100;
/** Larger files are not read through at every start; damage in them shows when the damaged page is read. */
const largestReadThrough = 16 * 1024 * 1024;

function readHeader(path: string): Buffer {
  mkdirSync(dirname(path), { recursive: true });
  // SQLite opens a file that it may not write to all the same, and complains only at the first write.
  accessSync(dirname(path), constants.W_OK);
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return Buffer.alloc(0);
  accessSync(path, constants.W_OK);
  if (!found.isFile()) throw new StoreOpenError(`${path} is not a file. Name a file for the database.`);
  const file = openSync(path, "r");
  try {
    const header = Buffer.alloc(headerLength);
    return header.subarray(0, readSync(file, header));
  } finally {
    closeSync(file);
  }
}

function isTruncated(path: string, header: Buffer): boolean {
  // After a crash, the pages that are missing here may still be in the log, from which SQLite restores them.
  if (sizeOf(`${path}-wal`) > 0) return false;
  const written = header.readUInt16BE(16);
  const pageSize = written === 1 ? 65536 : written;
  return sizeOf(path) < header.readUInt32BE(28) * pageSize;
}

function examineContents(path: string): void {
  const database = new Database(path, { readonly: true });
  try {
    refuseNewer(path, schemaVersion(database));
    if (sizeOf(path) > largestReadThrough) return;
    const row = database.query<{ quick_check: string }, []>("PRAGMA quick_check(1)").get();
    if (row && row.quick_check !== "ok") throw damaged(path, row.quick_check);
  } finally {
    database.close(true);
  }
}

function refuseNewer(path: string, version: number): void {
  if (version <= newestVersion) return;
  throw new StoreOpenError(
    `${path} was written by a newer version of the animal store (its schema is ${version}, this program's is ${newestVersion}). Use that version.`,
  );
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function damaged(path: string, reason: string): StoreOpenError {
  const firstLine = reason.replace(/^\*\*\*.*\n/, "").split("\n", 1)[0];
  return new StoreOpenError(
    `${path} is damaged (${firstLine}). Restore it from a backup, without the -wal and -shm files beside it; nothing in it was changed.`,
  );
}
