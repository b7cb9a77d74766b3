import type { Awaitable } from "../base/awaitable.ts";
import type { EventBatch } from "../operations/events/read-events.ts";

/** Lets all who go on from the same place, as streams do that have caught up, share one reading of the log. */
export class SharedBatches {
  readonly #batches = new Map<string, Awaitable<EventBatch>>();

  read(
    query: Readonly<Record<string, unknown>>,
    scope: string,
    read: () => Awaitable<EventBatch>,
  ): Awaitable<EventBatch> {
    const { type, subject, sort, limit, cursor } = query;
    const name = JSON.stringify([type, subject, sort, limit, cursor, scope]);
    const known = this.#batches.get(name);
    if (known) return known;
    const batch = read();
    this.#batches.set(name, batch);
    // For as long as it is being read or, where that takes no time, for this turn of the event loop.
    const forget = () => {
      if (this.#batches.get(name) === batch) this.#batches.delete(name);
    };
    if (batch instanceof Promise) batch.then(forget, forget);
    else setImmediate(forget);
    return batch;
  }

  /** Called when there are more events: who is told of them must not get what was read before, and wait again. */
  forget(): void {
    this.#batches.clear();
  }
}
