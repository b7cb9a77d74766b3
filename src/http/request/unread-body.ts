import { withDeadline } from "../../base/deadline.ts";
import type { WireRequest } from "../../wire/message.ts";
import type { Exchange } from "../exchange.ts";

/** The limits on receiving bodies that nobody reads. */
export interface UnreadBodyLimits {
  readonly maxBytes: number;
  /** For how long one is received: a proxy sends even a long one at once. */
  readonly timeoutMs: number;
  /** The same for a client that asks too much. */
  readonly throttledTimeoutMs: number;
  /** How many are received at a time, because each keeps its request in progress. */
  readonly maxConcurrent: number;
}

export const defaultUnreadBodyLimits: UnreadBodyLimits = {
  maxBytes: 8 * 1024 * 1024,
  timeoutMs: 1000,
  throttledTimeoutMs: 100,
  maxConcurrent: 64,
};

/** Whether a part of a request's body is still to come. */
export function leavesBody({ body }: WireRequest): boolean {
  return !body.isComplete;
}

/**
 * Receives the bodies that nobody reads, so that their connections can stay: a proxy takes one on which a response comes before
 * the end of its request for broken, or uses it for the next request while it lacks the rest of this one.
 */
export class UnreadBodies {
  #receiving = 0;

  constructor(readonly limits: UnreadBodyLimits) {}

  /** Tells whether all of the body has come. If not, the connection must end with the response. */
  async receive(exchange: Exchange): Promise<boolean> {
    const { headers, body } = exchange.request;
    const { maxBytes, timeoutMs, maxConcurrent } = this.limits;
    const length = Number(headers.get("content-length"));
    // To receive tiny chunks costs far more than to send them; and who asks first whether it may send a body need not.
    const isUnwelcome = headers.has("transfer-encoding") || headers.has("expect") || length > maxBytes;
    if (isUnwelcome || !body.isOpen || this.#receiving >= maxConcurrent) return false;
    const begunAt = performance.now();
    this.#receiving++;
    try {
      return await withDeadline(timeoutMs, body.drain(), () => new Error("The body is late.")).catch(() => false);
    } finally {
      this.#receiving--;
      exchange.bodyBytes = body.receivedBytes;
      exchange.idleMs += performance.now() - begunAt;
    }
  }
}
