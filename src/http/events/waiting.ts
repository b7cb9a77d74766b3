import type { EventStore } from "../../store/store.ts";

/**
 * Waits for more events. It listens from its beginning, so that what happens between a look at the log and the wait that
 * follows ends that wait at once.
 */
export class EventWait {
  readonly #end: () => void;
  #isMore = false;
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(log: EventStore) {
    this.#end = log.watch(() => {
      this.#isMore = true;
      this.#wake?.();
    });
  }

  /** Returns when there may be more, or it is over, or that time has passed. */
  async forMore(milliseconds: number): Promise<void> {
    if (!this.#isMore && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = setTimeout(resolve, milliseconds);
      await promise;
      clearTimeout(timer);
      this.#wake = undefined;
    }
    this.#isMore = false;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whoever waits need not wait any more. */
  finish(): void {
    this.#isOver = true;
    this.#end();
    this.#wake?.();
  }
}
