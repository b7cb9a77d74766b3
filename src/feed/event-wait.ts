import type { EventStore } from "../store/store.ts";

/** Waits for more events. The constructor subscribes, so that an event between a read of the event log and the wait is not missed. */
export class EventWait {
  isOver = false;
  readonly #unsubscribe: () => void;
  #hasMore = false;
  #refusal: unknown;
  #wake: (() => void) | undefined;

  /** `onMore` is called before a waiting reader continues. */
  constructor(events: EventStore, onMore: () => void) {
    this.#unsubscribe = events.watch(() => {
      this.#hasMore = true;
      onMore();
      this.#wake?.();
    });
  }

  /** Resolves when there may be more events, after `wakeUp`, or when the wait is over. Throws the error given to `refuse`. */
  async waitForEvents(): Promise<void> {
    if (!this.#hasMore && !this.isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    this.#hasMore = false;
    this.requireAllowed();
  }

  requireAllowed(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  wakeUp(): void {
    this.#wake?.();
  }

  refuse(error: unknown): void {
    this.#refusal ??= error;
    this.finish();
  }

  finish(): void {
    this.isOver = true;
    this.#unsubscribe();
    this.#wake?.();
  }
}
