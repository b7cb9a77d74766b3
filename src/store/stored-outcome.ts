import { parseJson, toJson } from "../base/json.ts";
import { type RefusalCode, ServiceError, TemporaryError } from "../domain/errors.ts";
import { type IdempotencyRecord, storedByOtherVersion, usedForAnotherRequest } from "../domain/idempotency.ts";

/** The outcome of a write: its result, or why it was refused. */
export type StoredOutcome = ({ readonly result?: unknown } | { readonly refusal: Refusal }) & {
  /** True if it is the stored outcome of an earlier request. */
  readonly isReplay?: boolean;
};

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** Present in a temporary refusal, which is not stored. */
  readonly retryAfterSeconds?: number;
}

/** Returns the refusal of a business rule. Throws any other error. */
export function toRefusal(error: unknown): StoredOutcome {
  if (!(error instanceof ServiceError)) throw error;
  const { code, message } = error;
  const passing = error instanceof TemporaryError && { retryAfterSeconds: error.retryAfterSeconds };
  return { refusal: { code, message, ...passing } };
}

/** Errors in the request itself or of its sender are checked again each time, and so are temporary ones. */
export function isStorable(outcome: StoredOutcome): boolean {
  if (!("refusal" in outcome)) return true;
  const { code, retryAfterSeconds } = outcome.refusal;
  return retryAfterSeconds === undefined && code !== "BadRequest" && code !== "Forbidden";
}

export function requireResult(outcome: StoredOutcome): unknown {
  if (!("refusal" in outcome)) return outcome.result;
  const { code, message, retryAfterSeconds } = outcome.refusal;
  throw retryAfterSeconds === undefined
    ? new ServiceError(code, message)
    : new TemporaryError(code, message, retryAfterSeconds);
}

export interface StoredRecord {
  readonly fingerprint: Uint8Array;
  readonly outcome: string;
}

export function serializeOutcome(outcome: StoredOutcome): string {
  return toJson({ version, ...outcome });
}

/** Returns the stored outcome. Throws UnprocessableContent for another request, or if another version wrote it in another way. */
export function replayOutcome(
  kept: StoredRecord,
  { fingerprint }: Pick<IdempotencyRecord, "fingerprint">,
): StoredOutcome {
  if (Buffer.compare(kept.fingerprint, fingerprint) !== 0) throw usedForAnotherRequest();
  const { version: writtenAs = version, ...outcome } = parseJson(kept.outcome) as StoredOutcome & {
    version?: number;
  };
  if (writtenAs !== version) throw storedByOtherVersion();
  return { ...outcome, isReplay: true };
}

/** Changes when results are written in a way that earlier programs would misread. */
const version = 1;

/** A record is for one write: a second one would get the outcome of the first. */
export function limitToOneWrite<Write extends (...args: never[]) => Promise<unknown>>(write: Write): Write {
  let isUsed = false;
  return ((...args) => {
    if (isUsed) throw new Error("An idempotency record was used for two writes.");
    isUsed = true;
    return write(...args);
  }) as Write;
}

/** Rolls back the transaction of a write that refuses after it has changed something. */
export class LateRefusal extends Error {
  constructor(refusal: unknown) {
    super("A write refused after it had changed something.", { cause: refusal });
  }
}

/** Returns the id of a key family in the store, where no key has the id 0. */
export function familyIdOf({ family }: Pick<IdempotencyRecord, "family">): number {
  return family === "environment" ? 0 : family;
}

export const recordLifetimeMs = 24 * 60 * 60 * 1000;

/** Number of rows that are removed at once, so that no other write waits long. */
export const deletionBatchSize = 1_000;
