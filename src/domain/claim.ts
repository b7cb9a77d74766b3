import { ServiceError } from "./errors.ts";
import type { Caller } from "./key.ts";

/**
 * What makes a write that is asked for twice be done once. The outcome of the first is kept under the name, in the
 * transaction of the write itself.
 */
export interface Claim {
  /** The same for everything that may be a repetition. */
  readonly name: Uint8Array;
  /** The same only for what asks for the same. */
  readonly fingerprint: Uint8Array;
  /** Whose it is. */
  readonly line: Caller["line"];
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Called when the outcome is that of an earlier request. */
  onReplay(): void;
}

/** Of the conflicts, the one that passes by itself. */
export class StillUnderWay extends ServiceError {
  constructor() {
    super("Conflict", "A request with this Idempotency-Key is still under way. Send it again in a moment.");
  }
}

export function claimedForAnother(): ServiceError {
  return new ServiceError(
    "UnprocessableContent",
    "This Idempotency-Key was used for another request. Send another key, or the same request.",
  );
}
