import type { Awaitable } from "../base/awaitable.ts";
import { oneAtATime } from "../base/one-at-a-time.ts";

export class EventWatch {
  readonly #watchers = new Set<() => void>();
  #timer: Timer | undefined;
  #newestPosition = -1;
  #changedAt = Number.NEGATIVE_INFINITY;

  /** For `staleMs` after a change, a stale replica may not show the new events yet, so watchers are notified again. */
  constructor(
    readonly readNewest: () => Awaitable<number>,
    readonly intervalMs: number,
    readonly staleMs = 0,
  ) {}

  add(onMore: () => void): () => void {
    const watcher = () => onMore();
    this.#watchers.add(watcher);
    this.#timer ??= setInterval(this.check, this.intervalMs);
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.close();
    };
  }

  readonly check = oneAtATime(async () => {
    if (this.#watchers.size === 0) return;
    try {
      const newestPosition = await this.readNewest();
      const now = performance.now();
      if (newestPosition !== this.#newestPosition) this.#changedAt = now;
      else if (now - this.#changedAt >= this.staleMs) return;
      this.#newestPosition = newestPosition;
      for (const watcher of this.#watchers) watcher();
    } catch {
      // The position is read again soon, and the reads of the watchers report the failure.
    }
  });

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

export const defaultEventRetentionMs = 30 * 24 * 60 * 60 * 1000;
