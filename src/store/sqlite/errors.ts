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

export function toServiceError(failure: SqliteFailure): ServiceError {
  const { code, message } = failure;
  const cause = `${code}: ${message}`;
  if (code === "SQLITE_FULL") {
    return new ServiceError("InsufficientStorage", "The store's disk is full. Nothing was saved.", cause);
  }
  if (code.startsWith("SQLITE_CONSTRAINT") && message.includes("last_id")) {
    return new ServiceError("InsufficientStorage", "The store has used up its ids. Nothing was saved.", cause);
  }
  if (passing.some((name) => code.startsWith(name))) {
    return new ServiceError(
      "ServiceUnavailable",
      "The store cannot be reached now. Nothing was saved; try again.",
      cause,
    );
  }
  return new ServiceError("InternalServerError", "Something went wrong in the service.", cause);
}

const passing = [
  "SQLITE_BUSY",
  "SQLITE_LOCKED",
  "SQLITE_IOERR",
  "SQLITE_CANTOPEN",
  "SQLITE_READONLY",
  "SQLITE_PROTOCOL",
];
