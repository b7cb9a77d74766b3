import type { EventStore } from "../store/store.ts";

/**
 * Waits for more events. It listens from its beginning, so that what happens between a look at the log and the wait that
 * follows ends that wait at once.
 */
export class EventWait {
  readonly #end: () => void;
  #isMore = false;
  #isOver = false;
  #refusal: unknown;
  #wake: (() => void) | undefined;

  /** `onMore` is called before anybody who waits goes on. */
  constructor(log: EventStore, onMore: () => void) {
    this.#end = log.watch(() => {
      this.#isMore = true;
      onMore();
      this.#wake?.();
    });
  }

  /** Returns when there may be more, when it was woken up, or when it is over. Throws why it was refused. */
  async forMore(): Promise<void> {
    if (!this.#isMore && !this.#isOver) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      await promise;
      this.#wake = undefined;
    }
    this.#isMore = false;
    this.requireAllowed();
  }

  /** Throws why it was refused. */
  requireAllowed(): void {
    if (this.#refusal !== undefined) throw this.#refusal;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  wakeUp(): void {
    this.#wake?.();
  }

  /** Whoever waits may not wait any more. */
  refuse(error: unknown): void {
    this.#refusal ??= error;
    this.finish();
  }

  /** Whoever waits need not wait any more. */
  finish(): void {
    this.#isOver = true;
    this.#end();
    this.#wake?.();
  }
}
