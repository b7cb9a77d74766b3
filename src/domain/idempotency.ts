import { ServiceError, TemporaryError } from "./errors.ts";
import type { Caller } from "./key.ts";

/** Makes a repeated write happen once: its outcome is stored under the name, in the transaction of the write. */
export interface IdempotencyRecord {
  readonly name: Uint8Array;
  /** Differs if the request differs. */
  readonly fingerprint: Uint8Array;
  readonly family: Caller["family"];
  readonly at: number;
  /** Called when the outcome is that of an earlier request. */
  onReplay(): void;
}

/** The only temporary conflict. */
export class StillInProgress extends TemporaryError {
  constructor() {
    super("Conflict", "A request with this Idempotency-Key is still in progress. Send it again in a moment.", 1);
  }
}

/** The error beyond the limit of a key family if that is given, otherwise beyond the limit of the store. */
export function tooManyIdempotencyKeys(waitMs: number, limit?: number): TemporaryError {
  const reason =
    limit === undefined
      ? "This store has reached its limit of requests with an Idempotency-Key"
      : `This key has made ${limit} requests with an Idempotency-Key in 24 hours, which is the limit`;
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return new TemporaryError(
    "TooManyRequests",
    `${reason}. Wait before the next one, or send it without an Idempotency-Key.`,
    seconds,
  );
}

export function usedForAnotherRequest(): ServiceError {
  return new ServiceError(
    "UnprocessableContent",
    "This Idempotency-Key was used for another request. Send another one, or the same request.",
  );
}

export function storedByOtherVersion(): ServiceError {
  return new ServiceError(
    "UnprocessableContent",
    "This request was already carried out by another version of the service, whose response cannot be repeated. Check the current state before you send it with a new Idempotency-Key.",
  );
}
