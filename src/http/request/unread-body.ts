import { withDeadline } from "../../base/deadline.ts";
import type { Exchange } from "../exchange.ts";

/** The limits on receiving bodies that nobody reads. */
export interface UnreadBodyLimits {
  readonly bytes: number;
  /** For how long one is received: a proxy sends even a long one at once. */
  readonly milliseconds: number;
  /** For how long one is given to arrive that cannot be seen to, or that comes from a client that asks too much. */
  readonly briefMilliseconds: number;
  /** How many are received at a time, because each keeps its request in progress. */
  readonly atOnce: number;
}

export const usualUnreadBodyLimits: UnreadBodyLimits = {
  bytes: 8 * 1024 * 1024,
  milliseconds: 1000,
  briefMilliseconds: 100,
  atOnce: 64,
};

/** Whether a request has a body that was not read. */
export function leavesBody({ bodyUsed, headers }: Request): boolean {
  if (bodyUsed) return false;
  const length = headers.get("content-length");
  // Two lengths come joined, and are no number.
  return headers.has("transfer-encoding") || (length !== null && Number(length) !== 0);
}

/**
 * Receives the bodies that nobody reads, so that their connections can stay. Whoever still sends to a connection that has ended is
 * reset, and loses what it has not received of the response; a proxy takes the service for broken. And on a connection that stays
 * without all of the body, the next request, which may be another client's, would be taken for the rest of it.
 */
export class UnreadBodies {
  #receiving = 0;

  constructor(readonly limits: UnreadBodyLimits) {}

  /** Tells whether all of the body has come. If not, the connection must end with the response. */
  async receive(exchange: Exchange): Promise<boolean> {
    const { method, headers } = exchange.request;
    const { bytes, milliseconds, briefMilliseconds, atOnce } = this.limits;
    const length = Number(headers.get("content-length"));
    // To receive tiny chunks costs far more than to send them.
    if (headers.has("transfer-encoding") || length > bytes || this.#receiving >= atOnce) return false;
    const begunAt = performance.now();
    this.#receiving++;
    try {
      if (methodsWithBody.has(method)) return (await receivedWithin(milliseconds, exchange)) === length;
      await Bun.sleep(briefMilliseconds);
      return false;
    } finally {
      this.#receiving--;
      exchange.idleMs += performance.now() - begunAt;
    }
  }
}

/** The runtime does not always show the body of other methods, such as GET. */
const methodsWithBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** Returns how many bytes have come when there are no more, or the time is over. */
async function receivedWithin(milliseconds: number, exchange: Exchange): Promise<number> {
  const receiving = (async () => {
    for await (const piece of exchange.request.body ?? []) exchange.bodyBytes += piece.length;
  })();
  // Whether it is late or cut off, it is not complete.
  await withDeadline(milliseconds, receiving, () => new Error("The body is late.")).catch(() => {});
  return exchange.bodyBytes;
}
