import { SQLiteError } from "bun:sqlite";
import { ServiceError } from "../../domain/errors.ts";

/** What SQLite said, in a form that can be sent from one thread to another. */
export interface SqliteFailure {
  readonly code: string;
  readonly message: string;
}

export function toFailure(error: unknown): SqliteFailure {
  if (error instanceof SQLiteError) return { code: error.code ?? "SQLITE_ERROR", message: error.message };
  return { code: "UNKNOWN", message: String(error) };
}

/** A write that breaks a rule of the table fails alone; a full disk or a lock fails whatever was to be written. */
export function isOwnFault({ code }: SqliteFailure): boolean {
  return code.startsWith("SQLITE_CONSTRAINT");
}

/** What another program that is about to create or to recover the same file causes for a moment. */
export function isPassing({ code }: SqliteFailure): boolean {
  return ["SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_READONLY", "SQLITE_CANTOPEN"].some((name) => code.startsWith(name));
}

export function toReadError({ code, message }: SqliteFailure): ServiceError {
  return otherError(code, `${code}: ${message}`, "The store cannot be reached now; try again.");
}

export function toWriteError({ code, message }: SqliteFailure): ServiceError {
  const cause = `${code}: ${message}`;
  if (code === "SQLITE_FULL") {
    return new ServiceError("InsufficientStorage", "The store's disk is full. Nothing was saved.", cause);
  }
  if (code.startsWith("SQLITE_CONSTRAINT") && message.includes("last_id")) {
    return new ServiceError("InsufficientStorage", "The store has used up its ids. Nothing was saved.", cause);
  }
  return otherError(code, cause, "The store cannot be reached now. Nothing was saved; try again.");
}

function otherError(code: string, cause: string, whenPassing: string): ServiceError {
  return passing.some((name) => code.startsWith(name))
    ? new ServiceError("ServiceUnavailable", whenPassing, cause)
    : new ServiceError("InternalServerError", "Something went wrong in the service.", cause);
}

const passing = [
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
  "SQLITE_IOERR",
  "SQLITE_CANTOPEN",
  "SQLITE_READONLY",
  "SQLITE_PROTOCOL",
];
