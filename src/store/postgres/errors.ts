import { type RefusalCode, ServiceError } from "../../domain/errors.ts";
import type { Outcome } from "../write-queue.ts";

/** What PostgreSQL, or the client on the way to it, said. */
export interface PostgresFailure {
  readonly server: string;
  /** The client's own code, such as ERR_POSTGRES_CONNECTION_CLOSED. */
  readonly code: string;
  /** SQLSTATE, if the server said it. */
  readonly state: string;
  readonly message: string;
}

/** `server` is the one that was asked, unless the error itself names another. */
export function toFailure(error: unknown, server: string): PostgresFailure {
  const { code, errno, message, server: named } = error as Readonly<Record<string, unknown>>;
  return {
    server: String(named ?? server),
    code: String(code ?? ""),
    state: typeof errno === "string" ? errno : "",
    message: String(message ?? error),
  };
}

/** A write that breaks a rule of the table fails alone; a lost connection fails whatever was to be written. */
export class RuleBroken extends ServiceError {}

/** The user may not do what was tried. */
export class RightMissing extends ServiceError {}

/** Others had the lock of a table for as long as could be waited for it. */
export class LockMissed extends ServiceError {}

/** The prepared statement is not there, or belongs to somebody else. */
export class StatementLost extends ServiceError {}

/** Whether the server no longer takes writes, because another one does. */
export function hasMoved({ state }: PostgresFailure): boolean {
  return state === readOnly;
}

/** Whether the server has no connection left. */
export function isTooMany({ state }: PostgresFailure): boolean {
  return state === "53300";
}

/** Whether there is no server at the other end, or one that is coming or going. */
export function isDisconnected({ code, state }: PostgresFailure): boolean {
  return isOfConnection(code) || state.startsWith("57P") || state.startsWith("08");
}

function isOfConnection(code: string): boolean {
  return code.startsWith("ERR_POSTGRES_CONNECTION") || code === unknownHost;
}

export function toServiceError(failure: PostgresFailure, mayHaveCommitted: boolean): ServiceError {
  const { server, code, state, message } = failure;
  const cause = `${server}: ${state || code}: ${message}`;
  if (state === sequenceUsedUp) {
    return new ServiceError("InsufficientStorage", "The store has used up its ids. Nothing was saved.", cause);
  }
  if (state === diskFull) {
    return new ServiceError("InsufficientStorage", "The store's disk is full. Nothing was saved.", cause);
  }
  if (state === limitExceeded) {
    return new ServiceError(
      "InsufficientStorage",
      "The store has no room for temporary files. Nothing was saved.",
      cause,
    );
  }
  if (state === lockTimeout) return new LockMissed("ServiceUnavailable", nothingSaved, cause);
  if (isOfConnection(code) || passing.some((kind) => state.startsWith(kind))) {
    return unreachable(cause, mayHaveCommitted && isCutOff(failure));
  }
  return new (kindOf(state))("InternalServerError", "Something went wrong in the service.", cause);
}

/** Whether the connection ended before the server could say what became of a statement, which it may have begun. */
function isCutOff({ code, state, message }: PostgresFailure): boolean {
  if (code === "ERR_POSTGRES_CONNECTION_CLOSED" || state === completionUnknown) return true;
  if (state.startsWith("57P")) return state !== cannotConnectNow;
  return state.startsWith("08") && !ofPoolerBeforeServer.test(message);
}

function kindOf(state: string): typeof ServiceError<RefusalCode> {
  if (state === insufficientPrivilege) return RightMissing;
  if (state === unknownStatement || state === duplicateStatement) return StatementLost;
  return state.startsWith("22") || state.startsWith("23") ? RuleBroken : ServiceError;
}

/** The connection was lost, or nothing came back. */
export function unreachable(cause: string, mayHaveCommitted: boolean): ServiceError {
  return new ServiceError("ServiceUnavailable", mayHaveCommitted ? unknownOutcome : nothingSaved, cause);
}

/** A read has nothing to say of what was saved. */
export function asReadError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const unavailable = (message: string) => new ServiceError("ServiceUnavailable", message, error.cause);
  if (error.code === "ServiceUnavailable") return unavailable("The store cannot be reached now; try again.");
  // It would have needed a temporary file.
  if (error.code === "InsufficientStorage") return unavailable("The store's disk is full; try again.");
  return error;
}

const nothingSaved = "The store cannot be reached now. Nothing was saved; try again.";
const unknownOutcome = "The store did not respond in time. It is not known whether the request was carried out.";

/** The client's own code where a name leads to no address. */
export const unknownHost = "ENOTFOUND";
/** What a server says to a write when it is a standby. */
export const readOnly = "25006";
const sequenceUsedUp = "2200H";
const diskFull = "53100";
/** Of those that PostgreSQL names so, `temp_file_limit` is the only one that a statement of ours can meet. */
const limitExceeded = "53400";
const insufficientPrivilege = "42501";
const unknownStatement = "26000";
const duplicateStatement = "42P05";
const lockTimeout = "55P03";
const completionUnknown = "40003";
/** What a server that starts or stops says to those who want to connect. */
const cannotConnectNow = "57P03";
/**
 * PgBouncer uses one SQLSTATE for all that it says itself. It says these to those whom it does not let in, or who wait for a
 * connection to the server, which has got nothing from them.
 */
const ofPoolerBeforeServer =
  /^(query_wait_timeout|server login |server shutting down|client_login_timeout|no more connections|client connections exceeded)/;
/** What a server says to a transaction that it has undone, because nothing more of it came. */
const idleTooLong = "25P03";
/** Connections, too few resources, cancellation and shutdown, conflicts, idle transactions, and a server that only reads. */
const passing = ["08", "53", "57", "40", idleTooLong, readOnly];

/** If a rule of a table is broken, each is tried alone, so that only the culprit fails. */
export async function togetherOrAlone<Write, Result>(
  batch: readonly Write[],
  commit: (batch: readonly Write[]) => Promise<readonly Result[]>,
): Promise<Outcome<Result>[]> {
  try {
    return (await commit(batch)).map((result) => ({ result }));
  } catch (error) {
    if (batch.length === 1 || !(error instanceof RuleBroken)) throw error;
    const outcomes: Outcome<Result>[] = [];
    for (const write of batch) {
      outcomes.push(...(await togetherOrAlone([write], commit).catch((alone: Error) => [{ error: alone }])));
    }
    return outcomes;
  }
}
