import type { Awaitable } from "../domain/awaitable.ts";
import type { Operation } from "../operations/operation.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./reply.ts";

/** A page that is about to be read. */
interface SharedRead {
  readonly operation: Operation;
  readonly reply: Promise<Reply>;
}

/**
 * Where a read is a round trip, those who ask for the same page in the same turn of the event loop share one. It is sent at
 * the end of the turn, and who comes later starts another: nobody gets what was read before it was asked for.
 */
export class SharedReads {
  readonly #gathering = new Map<string, SharedRead>();

  /** The page that a request asks for, if somebody else has just asked for it. */
  find({ request, target }: Exchange): SharedRead | undefined {
    const shared = this.#gathering.get(target);
    return shared && isPlain(request) ? shared : undefined;
  }

  /** Reads for all who ask for the same until then. */
  read({ request, target }: Exchange, operation: Operation, read: () => Awaitable<Reply>): Awaitable<Reply> {
    if (operation.deprecated || !isPlain(request)) return read();
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
    this.#gathering.set(target, { operation, reply });
    return reply;
  }
}

/** Whether the answer depends on nothing but the address. */
function isPlain({ method, headers }: Request): boolean {
  return method === "GET" && !headers.has("prefer");
}
