import type { Awaitable } from "../../base/awaitable.ts";
import type { Exchange } from "../exchange.ts";
import type { HttpResponse } from "../response/http-response.ts";

/**
 * Shares a read among the requests for the same page in one tick. The read is sent at the end of the tick, and later requests start
 * another read, so no request gets data that was read before the request arrived.
 */
export class SharedReads {
  readonly #pending = new Map<string, { readonly response: Promise<HttpResponse>; readonly time: StoreTime }>();

  /** Joins the pending read of the same page, or starts one. Each request that shares a read reports the time of that read. */
  read(target: string, time: StoreTime, read: () => Awaitable<HttpResponse>): Promise<HttpResponse> {
    const pending = this.#pending.get(target);
    if (pending) {
      return pending.response.finally(() => {
        time.storeStartedAt = pending.time.storeStartedAt;
        time.storeMs = pending.time.storeMs;
      });
    }
    const response = new Promise<HttpResponse>((resolve, reject) => {
      setImmediate(() => {
        this.#pending.delete(target);
        try {
          resolve(read());
        } catch (error) {
          reject(error);
        }
      });
    });
    this.#pending.set(target, { response, time });
    return response;
  }
}

type StoreTime = Pick<Exchange, "storeStartedAt" | "storeMs">;
