import { ServiceError, TemporaryError } from "./errors.ts";
import type { Caller } from "./key.ts";

/** The record of a write that clients may repeat. The transaction of the write stores the outcome with the record. */
export interface IdempotencyRecord {
  readonly name: Uint8Array;
  /** A hash of the request, which reveals that an `Idempotency-Key` was reused for another request. */
  readonly fingerprint: Uint8Array;
  readonly family: Caller["family"];
  readonly at: number;
  /** Called if the outcome of an earlier request is returned instead. */
  onReplay(): void;
}

/** The only temporary Conflict: the first request with the same idempotency key has not finished. */
export class StillInProgress extends TemporaryError {
  constructor() {
    super("Conflict", "A request with this Idempotency-Key is still in progress. Send it again in a moment.", 1);
  }
}

/** Returns the error for a key family that has reached `limit`; without `limit`, the error for a store that has reached its own limit. */
export function tooManyIdempotencyKeys(waitMs: number, limit?: number): TemporaryError {
  const reason =
    limit === undefined
      ? "This store has reached its limit of requests with an Idempotency-Key"
      : `This key has made ${limit} requests with an Idempotency-Key in 24 hours, which is the limit`;
  const message = `${reason}. Wait before the next one, or send it without an Idempotency-Key.`;
  return new TemporaryError("TooManyRequests", message, Math.max(1, Math.ceil(waitMs / 1000)));
}

export function idempotencyKeyReused(): ServiceError {
  const message = "This Idempotency-Key was used for another request. Send a new one, or repeat the original request.";
  return new ServiceError("UnprocessableContent", message);
}

export function outcomeOfOtherVersion(): ServiceError {
  const message =
    "This request was already carried out by another version of the service, whose response cannot be repeated. Check the current state before you send it with a new Idempotency-Key.";
  return new ServiceError("UnprocessableContent", message);
}
