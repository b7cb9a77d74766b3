import { parseJson, toJson } from "../base/json.ts";
import { type RefusalCode, ServiceError, TemporaryError } from "../domain/errors.ts";
import { type IdempotencyRecord, idempotencyKeyReused, outcomeOfOtherVersion } from "../domain/idempotency.ts";

export type StoredOutcome = ({ readonly result?: unknown } | { readonly refusal: Refusal }) & {
  /** True for the stored outcome of an earlier request. */
  readonly isReplay?: boolean;
};

export interface Refusal {
  readonly code: RefusalCode;
  readonly message: string;
  /** Present in a temporary refusal, which is not stored. */
  readonly retryAfterSeconds?: number;
}

export function toRefusedOutcome(error: unknown): StoredOutcome {
  if (!(error instanceof ServiceError)) throw error;
  const { code, message } = error;
  const temporary = error instanceof TemporaryError && { retryAfterSeconds: error.retryAfterSeconds };
  return { refusal: { code, message, ...temporary } };
}

/** False for refusals that are checked again when the request is repeated: temporary refusals, BadRequest and Forbidden. */
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
  return toJson({ version: formatVersion, ...outcome });
}

/** Throws UnprocessableContent if the record belongs to another request, or has another format. */
export function replayOutcome(
  record: StoredRecord,
  { fingerprint }: Pick<IdempotencyRecord, "fingerprint">,
): StoredOutcome {
  if (Buffer.compare(record.fingerprint, fingerprint) !== 0) throw idempotencyKeyReused();
  const parsed = parseJson(record.outcome) as StoredOutcome & { version?: number };
  const { version = formatVersion, ...outcome } = parsed;
  if (version !== formatVersion) throw outcomeOfOtherVersion();
  return { ...outcome, isReplay: true };
}

/** Incremented whenever results are stored in a form that earlier programs would misread. */
const formatVersion = 1;

/** Makes a second call throw, because that call would return the outcome of the first. */
export function limitToOneWrite<Write extends (...args: never[]) => Promise<unknown>>(write: Write): Write {
  let isUsed = false;
  return ((...args) => {
    if (isUsed) throw new Error("An idempotency record was used for two writes.");
    isUsed = true;
    return write(...args);
  }) as Write;
}

/** Thrown to roll back a write that was refused after it had changed something, which is a bug. */
export class LateRefusal extends Error {
  constructor(refusal: unknown) {
    super("A write refused after it had changed something.", { cause: refusal });
  }
}

/** The configured key has the id 0, which no stored key has. */
export function familyIdOf({ family }: Pick<IdempotencyRecord, "family">): number {
  return family === "environment" ? 0 : family;
}

export const recordLifetimeMs = 24 * 60 * 60 * 1000;

/** Number of rows that one statement deletes: larger batches would delay other writes. */
export const deletionBatchSize = 1_000;
