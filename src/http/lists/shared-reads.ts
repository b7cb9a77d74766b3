import type { Awaitable } from "../../base/awaitable.ts";
import type { HttpResponse } from "../response/http-response.ts";

/**
 * Where a read is a round trip, those who ask for the same page in the same turn of the event loop share one. It is sent at
 * the end of the turn, and who comes later starts another: nobody gets what was read before it was asked for.
 */
export class SharedReads {
  readonly #gathering = new Map<string, Gathering>();

  /**
   * The page that somebody else has just asked for, or that is read for all who ask for it until the end of the turn. All of
   * them learn how long the store had it.
   */
  read(target: string, time: StoreTime, read: () => Awaitable<HttpResponse>): Promise<HttpResponse> {
    const gathering = this.#gathering.get(target);
    if (gathering) return join(gathering, time);
    const reply = new Promise<HttpResponse>((resolve, reject) => {
      setImmediate(() => {
        this.#gathering.delete(target);
        try {
          resolve(read());
        } catch (error) {
          reject(error);
        }
      });
    });
    this.#gathering.set(target, { reply, time });
    return reply;
  }
}

/** When the store was called for a request, and how long it had that. */
interface StoreTime {
  storeAt: number;
  storeMs: number;
}

interface Gathering {
  readonly reply: Promise<HttpResponse>;
  /** That of the first who has asked. */
  readonly time: StoreTime;
}

function join({ reply, time }: Gathering, ofAnother: StoreTime): Promise<HttpResponse> {
  return reply.finally(() => {
    ofAnother.storeAt = time.storeAt;
    ofAnother.storeMs = time.storeMs;
  });
}
