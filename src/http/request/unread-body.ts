import { withDeadline } from "../../base/deadline.ts";
import type { Exchange } from "../exchange.ts";

export interface UnreadBodyLimits {
  readonly maxBytes: number;
  /** Maximum time to receive a body. A short time suffices, because a proxy sends even a long body without a pause. */
  readonly timeoutMs: number;
  readonly throttledTimeoutMs: number;
  /** Maximum number of bodies received at once, each of which keeps its request in progress. */
  readonly maxConcurrent: number;
}

export const defaultUnreadBodyLimits: UnreadBodyLimits = {
  maxBytes: 8 * 1024 * 1024,
  timeoutMs: 1000,
  throttledTimeoutMs: 100,
  maxConcurrent: 64,
};

/** Receives unread bodies before the response: a proxy treats a connection as broken if a response precedes the end of its request. */
export class UnreadBodies {
  #receivingCount = 0;

  constructor(readonly limits: UnreadBodyLimits) {}

  /** Returns true if the body was received completely; otherwise, the connection must close after the response. */
  async receive(exchange: Exchange): Promise<boolean> {
    const { headers, body } = exchange.request;
    const { maxBytes, timeoutMs, maxConcurrent } = this.limits;
    const length = Number(headers.get("content-length"));
    // Refuses chunks, which cost more to receive than to send if they are tiny, and `Expect`, with which a client can withhold its body.
    const isRefused = headers.has("transfer-encoding") || headers.has("expect") || length > maxBytes;
    if (isRefused || !body.isOpen || this.#receivingCount >= maxConcurrent) return false;
    const startedAt = performance.now();
    this.#receivingCount++;
    try {
      return await withDeadline(timeoutMs, body.drain(), () => new Error("The body is late.")).catch(() => false);
    } finally {
      this.#receivingCount--;
      exchange.bodyBytes = body.receivedBytes;
      exchange.idleMs += performance.now() - startedAt;
    }
  }
}
