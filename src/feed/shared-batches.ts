import type { Awaitable } from "../base/awaitable.ts";
import type { EventBatch } from "../operations/events/read-events.ts";

/**
 * Shares a read of the event log among streams that have caught up and read in the same tick. Later readers start another read, so no reader
 * gets data that was read before its request.
 */
export class SharedBatches {
  readonly #shared = new Map<string, SharedBatch>();

  /** `isConnected` returns false once the reader has disconnected; `read` gets a function that returns false once all have disconnected. */
  read(
    query: Readonly<Record<string, unknown>>,
    scope: string,
    isConnected: () => boolean,
    read: (isAnyConnected: () => boolean) => Awaitable<EventBatch>,
  ): Awaitable<EventBatch> {
    const { type, subject, sort, limit, cursor } = query;
    const key = JSON.stringify([type, subject, sort, limit, cursor, scope]);
    const pending = this.#shared.get(key);
    if (pending) {
      pending.readers.push(isConnected);
      return pending.batch;
    }
    const readers = [isConnected];
    const shared = { readers, batch: read(() => readers.some((isReaderConnected) => isReaderConnected())) };
    this.#shared.set(key, shared);
    setImmediate(() => {
      if (this.#shared.get(key) === shared) this.#shared.delete(key);
    });
    return shared.batch;
  }

  /** Called when there are more events, so that a notified reader does not get an older batch and then wait again. */
  forget(): void {
    this.#shared.clear();
  }
}

interface SharedBatch {
  readonly batch: Awaitable<EventBatch>;
  readonly readers: (() => boolean)[];
}
