import { ServiceError } from "../../domain/errors.ts";
import type { Outcome } from "../write-queue.ts";

type PostgresFailure = ReturnType<typeof toFailure>;

export function toFailure(error: unknown, server: string) {
  const { code, errno, message, server: failedServer } = error as Readonly<Record<string, unknown>>;
  return {
    server: String(failedServer ?? server),
    code: String(code ?? ""),
    state: typeof errno === "string" ? errno : "",
    message: String(message ?? error),
  };
}

/** Error of a write that violates a constraint or a type. Other writes in the batch may succeed, unlike after a lost connection. */
export class ConstraintViolated extends ServiceError {}

export class PrivilegeMissing extends ServiceError {}

export class LockTimedOut extends ServiceError {}

export function isDisconnected({ code, state }: PostgresFailure): boolean {
  return isConnectionCode(code) || state.startsWith("57P") || state.startsWith("08");
}

function isConnectionCode(code: string): boolean {
  return code.startsWith("ERR_POSTGRES_CONNECTION") || code === unknownHostCode;
}

export function toServiceError(failure: PostgresFailure, mayHaveCommitted: boolean): ServiceError {
  const { server, code, state, message } = failure;
  const cause = `${server}: ${state || code}: ${message}`;
  const shortage = exhaustionByState[state];
  if (shortage !== undefined) return new ServiceError("InsufficientStorage", `${shortage} Nothing was saved.`, cause);
  if (state === "55P03") return new LockTimedOut("ServiceUnavailable", nothingSaved, cause);
  if (isConnectionCode(code) || temporaryStates.some((prefix) => state.startsWith(prefix))) {
    return unreachableError(cause, mayHaveCommitted && isCutOff(failure));
  }
  const isViolation = state.startsWith("22") || state.startsWith("23");
  const ErrorClass = state === "42501" ? PrivilegeMissing : isViolation ? ConstraintViolated : ServiceError;
  return new ErrorClass("InternalServerError", "Something went wrong in the service.", cause);
}

/** Returns true if the connection ended after the server may have begun a statement, and before it reported the outcome. */
function isCutOff({ code, state, message }: PostgresFailure): boolean {
  if (code === "ERR_POSTGRES_CONNECTION_CLOSED" || state === "40003") return true;
  // A server that is starting or shutting down refuses new connections with 57P03.
  if (state.startsWith("57P")) return state !== "57P03";
  return state.startsWith("08") && !poolerRefusal.test(message);
}

export function unreachableError(cause: string, mayHaveCommitted: boolean): ServiceError {
  return new ServiceError("ServiceUnavailable", mayHaveCommitted ? unknownOutcome : nothingSaved, cause);
}

export function toReadError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const unavailable = (message: string) => new ServiceError("ServiceUnavailable", message, error.cause);
  if (error.code === "ServiceUnavailable") return unavailable("The store cannot be reached now; try again.");
  // A read needs disk space only for temporary files, so a later attempt may succeed.
  if (error.code === "InsufficientStorage") return unavailable("The store's disk is full; try again.");
  return error;
}

const nothingSaved = "The store cannot be reached now. Nothing was saved; try again.";
const unknownOutcome = "The store did not respond in time. It is not known whether the request was carried out.";

export const unknownHostCode = "ENOTFOUND";
export const readOnlyState = "25006";
export const tooManyConnectionsState = "53300";

const exhaustionByState: Readonly<Record<string, string>> = {
  "2200H": "The store has used up its ids.",
  "53100": "The store's disk is full.",
  // Statements of the store can exceed only one limit with this SQLSTATE, `temp_file_limit`.
  "53400": "The store has no room for temporary files.",
};

/** Messages of PgBouncer that mean that the server received nothing. Other errors of PgBouncer have the same SQLSTATE. */
const poolerRefusal =
  /^(query_wait_timeout|server login |server shutting down|client_login_timeout|no more connections|client connections exceeded)/;

/** Prefixes of SQLSTATEs: connections, resources, cancellation and shutdown, conflicts, idle transactions, and a read-only server. */
const temporaryStates = ["08", "53", "57", "40", "25P03", readOnlyState];

/** Commits a batch. If one of its writes violates a constraint, commits each write alone, so that only that write fails. */
export async function commitTogetherOrAlone<Write, Result>(
  batch: readonly Write[],
  commit: (batch: readonly Write[]) => Promise<readonly Result[]>,
): Promise<Outcome<Result>[]> {
  try {
    return (await commit(batch)).map((result) => ({ result }));
  } catch (error) {
    if (batch.length === 1 || !(error instanceof ConstraintViolated)) throw error;
    const outcomes: Outcome<Result>[] = [];
    for (const write of batch) {
      outcomes.push(...(await commitTogetherOrAlone([write], commit).catch((alone: Error) => [{ error: alone }])));
    }
    return outcomes;
  }
}
