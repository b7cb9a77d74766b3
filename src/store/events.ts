import type { Awaitable } from "../base/awaitable.ts";

/** Tells those who wait for events that there are more. While nobody waits, nothing is asked. */
export class EventWatch {
  readonly #watchers = new Set<() => void>();
  #timer: Timer | undefined;
  #newest = -1;
  #changedAt = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #isHinted = false;

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
    this.#timer ??= setInterval(this.look, this.everyMs);
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.close();
    };
  }

  /** Called when there may be more, so that nobody has to wait until it is asked. */
  readonly look = async (): Promise<void> => {
    this.#isHinted = true;
    if (this.#isAsking || this.#watchers.size === 0) return;
    this.#isAsking = true;
    try {
      while (this.#isHinted && this.#watchers.size > 0) {
        this.#isHinted = false;
        const newest = await this.readNewest();
        const now = performance.now();
        if (newest !== this.#newest) this.#changedAt = now;
        else if (now - this.#changedAt >= this.doubtMs) continue;
        this.#newest = newest;
        for (const watcher of this.#watchers) watcher();
      }
    } catch {
      // A store that cannot be asked now is asked again soon, and whoever reads from it is told why it fails.
    } finally {
      this.#isAsking = false;
    }
  };

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

export const usualEventRetentionMs = 30 * 24 * 60 * 60 * 1000;
