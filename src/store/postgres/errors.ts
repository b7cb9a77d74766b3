import { type RefusalCode, ServiceError } from "../../domain/errors.ts";
import type { Outcome } from "../write-queue.ts";

/** An error of PostgreSQL, or of the client on the way to it. */
export interface PostgresFailure {
  readonly server: string;
  /** The client's own code, such as ERR_POSTGRES_CONNECTION_CLOSED. */
  readonly code: string;
  /** SQLSTATE, if the server sent it. */
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

/** A rule of a table is broken. Such a write fails alone; a lost connection fails the whole batch. */
export class RuleBroken extends ServiceError {}

/** The user lacks a privilege. */
export class RightMissing extends ServiceError {}

/** The lock of a table was not free within `lock_timeout`. */
export class LockMissed extends ServiceError {}

/** The prepared statement does not exist, or belongs to another client. */
export class StatementLost extends ServiceError {}

/** Returns true if the server no longer takes writes, because another one does. */
export function hasMoved({ state }: PostgresFailure): boolean {
  return state === readOnly;
}

/** Returns true if the server has no connection left. */
export function isTooMany({ state }: PostgresFailure): boolean {
  return state === "53300";
}

/** Returns true if there is no server at the other end, or one that starts or stops. */
export function isDisconnected({ code, state }: PostgresFailure): boolean {
  return isOfConnection(code) || state.startsWith("57P") || state.startsWith("08");
}

function isOfConnection(code: string): boolean {
  return code.startsWith("ERR_POSTGRES_CONNECTION") || code === unknownHost;
}

export function toServiceError(failure: PostgresFailure, mayHaveCommitted: boolean): ServiceError {
  const { server, code, state, message } = failure;
  const cause = `${server}: ${state || code}: ${message}`;
  const usedUp = usedUpByState[state];
  if (usedUp !== undefined) return new ServiceError("InsufficientStorage", `${usedUp} Nothing was saved.`, cause);
  if (state === "55P03") return new LockMissed("ServiceUnavailable", nothingSaved, cause);
  if (isOfConnection(code) || passing.some((kind) => state.startsWith(kind))) {
    return unreachable(cause, mayHaveCommitted && isCutOff(failure));
  }
  return new (kindOf(state))("InternalServerError", "Something went wrong in the service.", cause);
}

/** Returns true if the connection ended before the server reported the outcome of a statement that it may have begun. */
function isCutOff({ code, state, message }: PostgresFailure): boolean {
  if (code === "ERR_POSTGRES_CONNECTION_CLOSED" || state === "40003") return true;
  // A server that starts or stops refuses new connections with 57P03.
  if (state.startsWith("57P")) return state !== "57P03";
  return state.startsWith("08") && !ofPoolerBeforeServer.test(message);
}

function kindOf(state: string): typeof ServiceError<RefusalCode> {
  if (state === "42501") return RightMissing;
  if (state === "26000" || state === "42P05") return StatementLost;
  return state.startsWith("22") || state.startsWith("23") ? RuleBroken : ServiceError;
}

/** The error of a lost connection or a missed deadline. */
export function unreachable(cause: string, mayHaveCommitted: boolean): ServiceError {
  return new ServiceError("ServiceUnavailable", mayHaveCommitted ? unknownOutcome : nothingSaved, cause);
}

/** Returns the same error without what it says about saving. */
export function asReadError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const unavailable = (message: string) => new ServiceError("ServiceUnavailable", message, error.cause);
  if (error.code === "ServiceUnavailable") return unavailable("The store cannot be reached now; try again.");
  // The read would have needed a temporary file.
  if (error.code === "InsufficientStorage") return unavailable("The store's disk is full; try again.");
  return error;
}

const nothingSaved = "The store cannot be reached now. Nothing was saved; try again.";
const unknownOutcome = "The store did not respond in time. It is not known whether the request was carried out.";

/** The client's own code of a host name that cannot be resolved. */
export const unknownHost = "ENOTFOUND";
/** The SQLSTATE of a write on a standby. */
export const readOnly = "25006";

const usedUpByState: Readonly<Record<string, string>> = {
  "2200H": "The store has used up its ids.",
  "53100": "The store's disk is full.",
  // Statements of the store can exceed only one limit with this SQLSTATE, `temp_file_limit`.
  "53400": "The store has no room for temporary files.",
};

/**
 * PgBouncer has one SQLSTATE for all of its own errors. These go to clients that are not admitted, or that wait for a connection to the
 * server, which has received nothing from them.
 */
const ofPoolerBeforeServer =
  /^(query_wait_timeout|server login |server shutting down|client_login_timeout|no more connections|client connections exceeded)/;

/** Connections, too few resources, cancellation and shutdown, conflicts, idle transactions, and a server that only reads. */
const passing = ["08", "53", "57", "40", "25P03", readOnly];

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
