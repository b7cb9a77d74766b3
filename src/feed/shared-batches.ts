import type { Awaitable } from "../base/awaitable.ts";
import type { EventBatch } from "../operations/events/read-events.ts";

/**
 * Lets all who go on from the same place in the same turn of the event loop, as streams do that have caught up, share one
 * reading of the log. Who comes later starts another: nobody gets what was read before it was asked for.
 */
export class SharedBatches {
  readonly #shared = new Map<string, Shared>();

  read(
    query: Readonly<Record<string, unknown>>,
    scope: string,
    isAwaited: () => boolean,
    read: (isAwaited: () => boolean) => Awaitable<EventBatch>,
  ): Awaitable<EventBatch> {
    const { type, subject, sort, limit, cursor } = query;
    const name = JSON.stringify([type, subject, sort, limit, cursor, scope]);
    const known = this.#shared.get(name);
    if (known) {
      known.readers.push(isAwaited);
      return known.batch;
    }
    const readers = [isAwaited];
    const shared = { readers, batch: read(() => readers.some((isStillThere) => isStillThere())) };
    this.#shared.set(name, shared);
    setImmediate(() => {
      if (this.#shared.get(name) === shared) this.#shared.delete(name);
    });
    return shared.batch;
  }

  /** Called when there are more events: who is told of them must not get what was read before, and wait again. */
  forget(): void {
    this.#shared.clear();
  }
}

interface Shared {
  readonly batch: Awaitable<EventBatch>;
  /** Whether each of those who share it still waits for it. */
  readonly readers: (() => boolean)[];
}
