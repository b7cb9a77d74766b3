import { Database } from "bun:sqlite";
import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { mostShown } from "../../check.ts";
import { refuseUnknown, type SchemaVersion } from "../../schema-version.ts";
import { StoreOpenError } from "../../store.ts";
import { failedRead, type SqliteFailure, toFailure } from "../errors.ts";
import { applicationId, newestVersion, schemaVersion } from "../schema/migrate.ts";
import { readStart, startsDatabase } from "./database-file.ts";
import { findProblems } from "./integrity.ts";
import { isAnyPageMissing, readLog } from "./log.ts";
import { journalOf, logIndexOf, logOf, sizeOf } from "./paths.ts";
import { requireRoom } from "./room.ts";

/** What is at a path: a store, or nothing that would be lost if one were made there. */
export type Found = "store" | "nothing";

/**
 * Refuses a file that this program must not write to, having changed nothing in it: one that is
 * somebody else's, is damaged, or was written by a newer program.
 */
export function examineFile(path: string): Found {
  const header = readHeader(path);
  if (header.length === 0) {
    refuseOrphans(path);
    return "nothing";
  }
  if (!startsDatabase(header) || header.length < headerBytes) {
    throw new StoreOpenError(
      `${path} is not an animal-store database. Choose another file, or one that does not exist yet.`,
    );
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw new StoreOpenError(`${path} is a SQLite database, but not one of animal-store. Choose another file.`);
  }
  // A start that was killed while it made the file has left a journal, by which SQLite undoes what was half done.
  if (sizeOf(journalOf(path)) > 0) return pagesBefore(journalOf(path)) > 0 ? "store" : "nothing";
  if (isTruncated(path, header)) throw damaged(path, "it is shorter than its own header says");
  examineContents(path);
  return "store";
}

/** Whether a file is or was used as a store: it then says that it is written by way of a log, which a backup never says. */
export function isUsed(path: string): boolean {
  return readHeader(path)[writeVersionAt] === writesToLog;
}

/** The version of the schema in a file, having changed nothing. Throws StoreOpenError also if there is no store. */
export function examineVersion(path: string): SchemaVersion {
  if (examineFile(path) === "nothing") throw noStore(path);
  return withoutChange(path, schemaVersion);
}

/**
 * A connection that leaves the file as it is, also when it is closed. One that may write takes the files beside the database away
 * again, but would also fold a log into it.
 */
export function openUnchanged(path: string): Database {
  if (isUsed(path)) requireRoom(path);
  const database = new Database(path, sizeOf(logOf(path)) > 0 ? { readonly: true } : { readwrite: true });
  database.run("PRAGMA query_only = ON");
  return database;
}

/** Returns the damage that an integrity check finds, as CORRUPT; otherwise the error of the disk that looked like damage. */
export function findDamage(path: string): SqliteFailure {
  try {
    const problems = withoutChange(path, (database) => findProblems(database, `integrity_check(${mostShown})`));
    return problems.length === 0 ? failedRead : { code: "SQLITE_CORRUPT", message: problems.join("; ") };
  } catch (error) {
    return toFailure(error);
  }
}

/**
 * Throws what the system says if the files of a database cannot be written in a folder that exists. SQLite opens a file that it
 * may not write to all the same, and complains only at the first write.
 */
export function requireWritable(path: string, folder = dirname(path)): void {
  const found = statSync(folder, { throwIfNoEntry: false });
  if (!found) return;
  if (!found.isDirectory()) {
    throw new StoreOpenError(`${path} cannot be created, because ${folder} is not a folder. Choose another place.`);
  }
  accessSync(folder, constants.W_OK | constants.X_OK);
  for (const file of [path, logOf(path), logIndexOf(path), journalOf(path)]) {
    if (statSync(file, { throwIfNoEntry: false })) accessSync(file, constants.W_OK);
  }
}

export function noStore(path: string): StoreOpenError {
  const found = statSync(path, { throwIfNoEntry: false }) ? "is empty" : "does not exist";
  return new StoreOpenError(
    `${resolve(path)} ${found}. Name an existing store; only serve, restore and copy --to create a new one.`,
  );
}

export function damaged(path: string, reason: string): StoreOpenError {
  return new StoreOpenError(
    `${path} is damaged (${reason}). Restore a backup with animal-store restore FILE --replace; nothing in it was changed.`,
  );
}

/** The file itself is sound, but somebody has dropped or replaced what the service needs. */
export function incomplete(path: string, reason: string): StoreOpenError {
  return new StoreOpenError(
    `${path} is incomplete (${reason}). Restore a backup with animal-store restore FILE --replace.`,
  );
}

const headerBytes = 100;
const writeVersionAt = 18;
const writesToLog = 2;
/** Larger files are not read through at every start; damage in them shows when the damaged page is read. */
export const largestReadThroughBytes = 16 * 1024 * 1024;

function readHeader(path: string): Buffer {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return Buffer.alloc(0);
  if (!found.isFile()) throw new StoreOpenError(`${path} is not a file. Choose a file for the database.`);
  return readStart(path, headerBytes);
}

/** SQLite takes a file without a page for a new one, and removes the log and the journal that it finds beside it. */
function refuseOrphans(path: string): void {
  const [log, journal] = [logOf(path), journalOf(path)];
  const orphan = sizeOf(log) > 0 ? log : sizeOf(journal) > 0 && pagesBefore(journal) > 0 ? journal : undefined;
  if (orphan === undefined) return;
  const state = statSync(path, { throwIfNoEntry: false }) ? "is empty" : "is missing";
  throw new StoreOpenError(
    `${path} ${state}, but ${orphan} is there, and may hold data that is nowhere else. Put back the file that it belongs to, or restore a backup with animal-store restore FILE --replace; to start over, move ${orphan} away first. Nothing was changed.`,
  );
}

/** How many pages the file had before the change that a journal undoes; 0 if it was being made. */
function pagesBefore(journal: string): number {
  const start = readStart(journal, 20);
  return start.length === 20 ? start.readUInt32BE(16) : 0;
}

function isTruncated(path: string, header: Buffer): boolean {
  const written = header.readUInt16BE(16);
  const pageSize = written === 1 ? 65536 : written;
  const there = Math.floor(sizeOf(path) / pageSize);
  // After a crash, the pages that are missing here may still be in the log, from which SQLite restores them.
  return isAnyPageMissing(there, readLog(path) ?? { pageCount: header.readUInt32BE(28), pages: new Set() });
}

function examineContents(path: string): void {
  withoutChange(path, (database) => {
    const found = schemaVersion(database);
    refuseUnknown(path, found, newestVersion);
    if (found.version === 0 && hasTables(database)) throw incomplete(path, "it does not say what its version is");
    if (sizeOf(path) > largestReadThroughBytes) return;
    const [problem] = findProblems(database, "quick_check(1)");
    if (problem !== undefined) throw damaged(path, problem);
  });
}

/** A store is made in one transaction, with its version. */
function hasTables(database: Database): boolean {
  return database.query("SELECT 1 FROM sqlite_schema WHERE type = 'table' LIMIT 1").get() !== null;
}

function withoutChange<Result>(path: string, use: (database: Database) => Result): Result {
  const database = openUnchanged(path);
  try {
    return use(database);
  } finally {
    database.close(true);
  }
}
