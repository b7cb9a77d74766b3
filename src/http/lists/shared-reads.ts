import type { Awaitable } from "../../base/awaitable.ts";
import type { Reply } from "../reply/reply.ts";

/**
 * Where a read is a round trip, those who ask for the same page in the same turn of the event loop share one. It is sent at
 * the end of the turn, and who comes later starts another: nobody gets what was read before it was asked for.
 */
export class SharedReads {
  readonly #gathering = new Map<string, Promise<Reply>>();

  /** The page that somebody else has just asked for, or that is read for all who ask for it until the end of the turn. */
  read(target: string, read: () => Awaitable<Reply>): Promise<Reply> {
    const gathering = this.#gathering.get(target);
    if (gathering) return gathering;
    const reply = new Promise<Reply>((resolve, reject) => {
      setImmediate(() => {
        this.#gathering.delete(target);
        try {
          resolve(read());
        } catch (error) {
          reject(error);
        }
      });
    });
    this.#gathering.set(target, reply);
    return reply;
  }
}
