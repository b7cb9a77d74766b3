import { Database } from "bun:sqlite";
import { accessSync, constants, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readStart } from "../../../base/files.ts";
import { maxShownItems } from "../../check.ts";
import { requireKnownSchema, type SchemaVersion } from "../../schema-version.ts";
import { StoreOpenError } from "../../store.ts";
import {
  isFileFault,
  isFullDisk,
  looksDamaged,
  ReportedFailure,
  readFailure,
  type SqliteFailure,
  toFailure,
} from "../errors.ts";
import { applicationId, newestVersion, readSchemaVersion } from "../schema/migrate.ts";
import { filesOf, journalOf, sizeOf, startsDatabase, walOf } from "./database-files.ts";
import { readWal, requireWalIndexSpace } from "./wal.ts";

/** Returns true for a store, and false if a new store at the path would destroy no data. Throws StoreOpenError for any other file. */
export function examineFile(path: string): boolean {
  const header = readHeader(path);
  if (header.length === 0) {
    requireNoOrphans(path);
    return false;
  }
  if (!startsDatabase(header) || header.length < headerBytes) {
    const advice = "Choose another file, or one that does not exist yet.";
    throw new StoreOpenError(`${path} is not an animal-store database. ${advice}`);
  }
  if (header.readUInt32BE(68) !== applicationId) {
    throw new StoreOpenError(`${path} is a SQLite database, but not one of animal-store. Choose another file.`);
  }
  // A start that was killed while it created the file has left a journal, with which SQLite rolls the file back.
  if (sizeOf(journalOf(path)) > 0) return countPagesBefore(journalOf(path)) > 0;
  requireAllPages(path, header);
  examineContents(path);
  return true;
}

export function requireStore(path: string): void {
  withExplainedErrors(path, () => {
    if (!examineFile(path)) throw storeNotFound(path);
  });
}

/** Returns false for a backup, whose header does not declare a WAL as its "write version". */
export function wasUsedAsStore(path: string): boolean {
  return readHeader(path)[18] === 2;
}

export function examineVersion(path: string): SchemaVersion {
  if (!examineFile(path)) throw storeNotFound(path);
  using database = openUnchanged(path);
  return readSchemaVersion(database);
}

/** Opens a connection that refuses writes. Closing the connection neither checkpoints the WAL nor leaves new -wal and -shm files. */
export function openUnchanged(path: string): Database {
  if (wasUsedAsStore(path)) requireWalIndexSpace(path);
  const database = new Database(path, sizeOf(walOf(path)) > 0 ? { readonly: true } : { readwrite: true });
  database.run("PRAGMA query_only = ON");
  return database;
}

/** Returns the damage that an integrity check finds, or otherwise the error of the disk that looked like damage. */
export function findDamage(path: string): SqliteFailure {
  try {
    using database = openUnchanged(path);
    const problems = findProblems(database, `integrity_check(${maxShownItems})`);
    return problems.length === 0 ? readFailure : { code: "SQLITE_CORRUPT", message: problems.join("; ") };
  } catch (error) {
    return toFailure(error);
  }
}

/**
 * Lists the damage that a second check still finds, because a failed read may look like damage. Throws an I/O error if the disk reported
 * one. The connection must not have read anything before.
 */
export function findProblems(database: Database, check: `${"integrity" | "quick"}_check(${number})`): string[] {
  return listProblems(database, check).length === 0 ? [] : listProblems(database, check);
}

function listProblems(database: Database, check: string): string[] {
  let lines: string[];
  try {
    lines = database.query<Record<string, string>, []>(`PRAGMA ${check}`).all().flatMap(Object.values);
  } catch (error) {
    if (!looksDamaged(toFailure(error))) throw error;
    lines = [toFailure(error).message];
  }
  const errno = new Int32Array(2);
  database.fileControl(lastErrno, errno);
  // SQLite keeps the errno of a failed read of the file, and lists a failed read of the WAL with a code whose low byte is that of IOERR.
  const isUnreadable = (line: string) => (Number(/error code=(\d+)/.exec(line)?.[1]) & 0xff) === 10;
  if (failedReadErrnos.includes(errno[0] ?? 0) || lines.some(isUnreadable)) throw new ReportedFailure(readFailure);
  return lines.filter((line) => line !== "ok").map((line) => line.replace(/^\*\*\*.*\n/, "").replaceAll("\n", " "));
}

/** SQLITE_FCNTL_LAST_ERRNO. */
const lastErrno = 4;
/** EIO, ENXIO and ERANGE, which SQLite reports as corruption. */
const failedReadErrnos = [5, 6, 34];

/** Throws if the files of a database cannot be written: SQLite would open such a file, and fail at the first write. */
export function requireWritable(path: string, folder = dirname(path)): void {
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats) return;
  if (!stats.isDirectory()) {
    throw new StoreOpenError(`${path} cannot be created, because ${folder} is not a folder. Choose another place.`);
  }
  accessSync(folder, constants.W_OK | constants.X_OK);
  for (const file of filesOf(path)) {
    if (statSync(file, { throwIfNoEntry: false })) accessSync(file, constants.W_OK);
  }
}

export function storeNotFound(path: string): StoreOpenError {
  const state = statSync(path, { throwIfNoEntry: false }) ? "is empty" : "does not exist";
  return new StoreOpenError(
    `${resolve(path)} ${state}. Name an existing store; only serve, restore and copy --to create a new one.`,
  );
}

/** The error for an undamaged file in which an operator has dropped or replaced a table or column. */
export function incompleteStore(path: string, reason: string): StoreOpenError {
  return new StoreOpenError(
    `${path} is incomplete (${reason}). Restore a backup with animal-store restore FILE --replace.`,
  );
}

function damagedStore(path: string, reason: string): StoreOpenError {
  return new StoreOpenError(
    `${path} is damaged (${reason}). Restore a backup with animal-store restore FILE --replace; nothing in it was changed.`,
  );
}

const headerBytes = 100;
/** Maximum size of a file that is read completely at every start. Damage in larger files shows when the damaged page is read. */
export const maxReadThroughBytes = 16 * 1024 * 1024;

function readHeader(path: string): Buffer {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return Buffer.alloc(0);
  if (!stats.isFile()) throw new StoreOpenError(`${path} is not a file. Choose a file for the database.`);
  return readStart(path, headerBytes);
}

/** Throws if a WAL or a journal has no database file: SQLite would treat the database as new, and remove the WAL and the journal. */
function requireNoOrphans(path: string): void {
  const [wal, journal] = [walOf(path), journalOf(path)];
  const orphan = sizeOf(wal) > 0 ? wal : sizeOf(journal) > 0 && countPagesBefore(journal) > 0 ? journal : undefined;
  if (orphan === undefined) return;
  const state = statSync(path, { throwIfNoEntry: false }) ? "is empty" : "is missing";
  throw new StoreOpenError(
    `${path} ${state}, but ${orphan} is there, and may hold data that is nowhere else. Put back the file that it belongs to, or restore a backup with animal-store restore FILE --replace; to start over, move ${orphan} away first. Nothing was changed.`,
  );
}

/** Returns the number of pages before the change that a journal undoes; 0 if the file was being created. */
function countPagesBefore(journal: string): number {
  const start = readStart(journal, 20);
  return start.length === 20 ? start.readUInt32BE(16) : 0;
}

function requireAllPages(path: string, header: Buffer): void {
  const pageSize = header.readUInt16BE(16);
  const filePages = Math.floor(sizeOf(path) / (pageSize === 1 ? 65536 : pageSize));
  // After a crash, SQLite restores missing pages from the WAL.
  const { pageCount, pages } = readWal(path) ?? { pageCount: header.readUInt32BE(28), pages: new Set<number>() };
  for (let page = filePages + 1; page <= pageCount; page++) {
    if (!pages.has(page)) throw damagedStore(path, "it is shorter than its own header says");
  }
}

function examineContents(path: string): void {
  using database = openUnchanged(path);
  const schema = readSchemaVersion(database);
  requireKnownSchema(path, schema, newestVersion);
  // A store is created in one transaction, together with its version.
  if (schema.version === 0) throw incompleteStore(path, "it does not say what its version is");
  if (sizeOf(path) > maxReadThroughBytes) return;
  const [problem] = findProblems(database, "quick_check(1)");
  if (problem !== undefined) throw damagedStore(path, problem);
}

export function withExplainedErrors<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    throw explainOpenError(path, error);
  }
}

export function explainOpenError(path: string, error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const apparent = toFailure(error);
  const failure = looksDamaged(apparent) ? findDamage(path) : apparent;
  const { code, message } = failure;
  if (looksDamaged(failure)) return damagedStore(path, message);
  if (code.startsWith("SQLITE_BUSY")) {
    return new StoreOpenError(`${path} is locked by another program. Stop that program, then start again.`);
  }
  if (isFullDisk(failure)) {
    return new StoreOpenError(`${path} cannot be written: the disk is full. Free some space, then start again.`);
  }
  if (isFileFault(failure)) {
    return new StoreOpenError(
      `${path} cannot be used: the disk reported an error (${code}: ${message}). The file itself may be intact: see the log of the system, then try again.`,
    );
  }
  if (/^no such (table|column): | because it is a view$/.test(message)) return incompleteStore(path, message);
  const advice = remedies.find(([pattern]) => pattern.test(message))?.[1];
  return new StoreOpenError(`${path} cannot be opened for writing: ${message}.${advice ? ` ${advice}` : ""}`);
}

const remedies: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^EROFS/, "Mount its file system for writing, or choose another place."],
  [/^EACCES|^EPERM/, "Give the user that runs this program the right to read and write the file and its folder."],
  [/^EBUSY/, "If the file itself is mounted, mount its folder instead."],
];
