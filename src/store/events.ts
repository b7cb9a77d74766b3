import type { Awaitable } from "../base/awaitable.ts";
import { oneAtATime } from "../base/one-at-a-time.ts";

/** Tells those who wait for events that there are more. While nobody waits, nothing is asked. */
export class EventWatch {
  readonly #watchers = new Set<() => void>();
  #timer: Timer | undefined;
  #newest = -1;
  #changedAt = Number.NEGATIVE_INFINITY;

  /**
   * `readNewest` gives the position of the newest event. It is asked now and then, because others may write as well. For
   * `doubtMs` after that, whoever reads may still be shown fewer events, and is told again.
   */
  constructor(
    readonly readNewest: () => Awaitable<number>,
    readonly everyMs: number,
    readonly doubtMs = 0,
  ) {}

  /** Returns a function that ends it. */
  add(onMore: () => void): () => void {
    const watcher = () => onMore();
    this.#watchers.add(watcher);
    this.#timer ??= setInterval(this.check, this.everyMs);
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.close();
    };
  }

  /** Called when there may be more events. */
  readonly check = oneAtATime(async () => {
    if (this.#watchers.size === 0) return;
    try {
      const newest = await this.readNewest();
      const now = performance.now();
      if (newest !== this.#newest) this.#changedAt = now;
      else if (now - this.#changedAt >= this.doubtMs) return;
      this.#newest = newest;
      for (const watcher of this.#watchers) watcher();
    } catch {
      // The position is read again soon, and readers learn from the store why it fails.
    }
  });

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

export const defaultEventRetentionMs = 30 * 24 * 60 * 60 * 1000;
