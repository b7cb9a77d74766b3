import { ServiceError } from "../../domain/errors.ts";

/** An error of SQLite or of a system call, in a form that can be sent to another thread. */
export interface SqliteFailure {
  readonly code: string;
  readonly message: string;
}

export interface Failure {
  readonly failure: SqliteFailure;
}

export class ReportedFailure extends Error {
  constructor(readonly failure: SqliteFailure) {
    super(failure.message);
  }
}

export function toFailure(error: unknown): SqliteFailure {
  if (error instanceof ReportedFailure) return error.failure;
  if (error instanceof Error && "errno" in error && "code" in error) {
    return { code: String(error.code ?? "SQLITE_ERROR"), message: error.message };
  }
  return { code: "UNKNOWN", message: error instanceof Error ? error.message : String(error) };
}

/** True if the write itself is at fault; other failures would fail any write. */
export function isConstraintViolation({ code }: SqliteFailure): boolean {
  return code.startsWith("SQLITE_CONSTRAINT");
}

/** True for apparent damage. SQLite reports a failed read as CORRUPT as well, so only an integrity check can tell. */
export function looksDamaged({ code }: SqliteFailure): boolean {
  return code.startsWith("SQLITE_CORRUPT") || code === "SQLITE_NOTADB";
}

export function isFileFault(failure: SqliteFailure): boolean {
  return looksDamaged(failure) || failure.code.startsWith("SQLITE_IOERR") || failure.code === "EIO";
}

export const readFailure: SqliteFailure = { code: "SQLITE_IOERR_CORRUPTFS", message: "disk I/O error" };

export const reopeningFailure: SqliteFailure = {
  code: "SQLITE_CANTOPEN",
  message: "the database is being opened again",
};

/** True for errors that another program may cause while that program creates or recovers the same file. */
export function isTransient({ code }: SqliteFailure): boolean {
  return ["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY", "SQLITE_CANTOPEN"].some((name) => code.startsWith(name));
}

export function isFullDisk({ code }: Pick<SqliteFailure, "code">): boolean {
  return ["SQLITE_FULL", "ENOSPC", "EDQUOT"].includes(code);
}

export function toReadError(failure: SqliteFailure): ServiceError {
  return toOtherError(failure, cannotReadText);
}

export function unreadableError(cause: string): ServiceError {
  return new ServiceError("ServiceUnavailable", cannotReadText, cause);
}

export function toWriteError(failure: SqliteFailure): ServiceError {
  const { code, message } = failure;
  const cause = `${code}: ${message}`;
  if (isFullDisk(failure)) {
    return new ServiceError("InsufficientStorage", "The store's disk is full. Nothing was saved.", cause);
  }
  if (code.startsWith("SQLITE_CONSTRAINT") && message.includes("last_id")) {
    return new ServiceError("InsufficientStorage", "The store has used up its ids. Nothing was saved.", cause);
  }
  // The next start may find a commit that could not be flushed, or added to the index of the WAL, so the outcome is unknown.
  if (/^SQLITE_IOERR_((DIR_)?FSYNC|SHM.*)$/.test(code)) {
    return new ServiceError("ServiceUnavailable", unknownOutcomeText, cause);
  }
  return toOtherError(failure, cannotWriteText);
}

const cannotReadText = "The store cannot be reached now; try again.";
export const cannotWriteText = "The store cannot be reached now. Nothing was saved; try again.";
export const unknownOutcomeText =
  "The store did not respond in time. It is not known whether the request was carried out.";

function toOtherError({ code, message }: SqliteFailure, text: string): ServiceError {
  const cause = `${code}: ${message}`;
  return bugCodePattern.test(code)
    ? new ServiceError("InternalServerError", "Something went wrong in the service.", cause)
    : new ServiceError("ServiceUnavailable", text, cause);
}

/** Matches the codes that bugs in this program cause. All other failures come from the disk, the system or another program. */
const bugCodePattern = /^(UNKNOWN|SQLITE_(ERROR|INTERNAL|ABORT|SCHEMA|TOOBIG|CONSTRAINT|MISMATCH|MISUSE|RANGE)(_.*)?)$/;
