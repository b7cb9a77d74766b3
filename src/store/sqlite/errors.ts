import { SQLiteError } from "bun:sqlite";
import { ServiceError } from "../../domain/errors.ts";
import { FileLost } from "./file/guard.ts";

/** What SQLite said, in a form that can be sent from one thread to another. */
export interface SqliteFailure {
  readonly code: string;
  readonly message: string;
}

/** A write that SQLite did not make. */
export interface Failed {
  readonly failure: SqliteFailure;
}

/** What SQLite said in another thread. */
export class ReportedFailure extends Error {
  constructor(readonly failure: SqliteFailure) {
    super(failure.message);
  }
}

export function toFailure(error: unknown): SqliteFailure {
  if (error instanceof ReportedFailure) return error.failure;
  if (error instanceof FileLost) return { code: fileLost, message: error.message };
  if (error instanceof SQLiteError) return { code: error.code ?? "SQLITE_ERROR", message: error.message };
  return { code: "UNKNOWN", message: String(error) };
}

/** A write that breaks a rule of the table fails alone; a full disk or a lock fails whatever was to be written. */
export function isOwnFault({ code }: SqliteFailure): boolean {
  return code.startsWith("SQLITE_CONSTRAINT");
}

/** The file is not what SQLite has written there, and no waiting will mend it. */
export function isDamage({ code }: SqliteFailure): boolean {
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}

/** Whether somebody may have put a hand to the file. */
export function isFaultOfFile(failure: SqliteFailure): boolean {
  return isDamage(failure) || failure.code.startsWith("SQLITE_IOERR");
}

/** What another program that is about to create or to recover the same file causes for a moment. */
export function isPassing({ code }: SqliteFailure): boolean {
  return ["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY", "SQLITE_CANTOPEN"].some((name) => code.startsWith(name));
}

export function toReadError(failure: SqliteFailure): ServiceError {
  return otherError(failure, cannotReadText, damagedText);
}

/** For a read that was not begun, because nobody knows whether the files are still what they were. */
export function notRead(cause: string): ServiceError {
  return new ServiceError("ServiceUnavailable", cannotReadText, cause);
}

export function toWriteError(failure: SqliteFailure): ServiceError {
  const { code, message } = failure;
  const cause = `${code}: ${message}`;
  if (code === "SQLITE_FULL") {
    return new ServiceError("InsufficientStorage", "The store's disk is full. Nothing was saved.", cause);
  }
  if (code.startsWith("SQLITE_CONSTRAINT") && message.includes("last_id")) {
    return new ServiceError("InsufficientStorage", "The store has used up its ids. Nothing was saved.", cause);
  }
  // What could not be flushed may be on the disk all the same, and come to light at the next start.
  if (/^SQLITE_IOERR_(DIR_)?FSYNC$/.test(code))
    return new ServiceError("ServiceUnavailable", unknownOutcomeText, cause);
  return otherError(failure, cannotWriteText, `${damagedText} Nothing was saved.`);
}

/** The same as other stores say. */
const cannotReadText = "The store cannot be reached now; try again.";
export const cannotWriteText = "The store cannot be reached now. Nothing was saved; try again.";
export const unknownOutcomeText =
  "The store did not respond in time. It is not known whether the request was carried out.";
const damagedText = "The store's database is damaged, and must be restored.";

function otherError(failure: SqliteFailure, whenPassing: string, whenDamaged: string): ServiceError {
  const { code, message } = failure;
  const cause = `${code}: ${message}`;
  if (isDamage(failure)) {
    const advice = "stop the service, and restore a backup with animal-store restore FILE --replace";
    return new ServiceError("ServiceUnavailable", whenDamaged, `${cause}; ${advice}`);
  }
  return passing.some((name) => code.startsWith(name))
    ? new ServiceError("ServiceUnavailable", whenPassing, cause)
    : new ServiceError("InternalServerError", "Something went wrong in the service.", cause);
}

/** Ours, and none of SQLite's: the file is no longer what its name leads to. */
const fileLost = "FILE_LOST";

const passing = [
  fileLost,
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
  "SQLITE_IOERR",
  "SQLITE_CANTOPEN",
  "SQLITE_READONLY",
  "SQLITE_PROTOCOL",
];
