import type { Stopwatch } from "../../../base/clock.ts";

/**
 * How many connections a pool may have. While the server has too few, it is fewer than were asked for; when nothing was heard of
 * that for a while, it is all of them again. The sooner that proves wrong, the longer is the next while: whoever needs a connection
 * that the server does not have gets an error.
 */
export class PoolSize {
  readonly #full: number;
  readonly #stopwatch: Stopwatch;
  #current: number;
  #waitMs = shortestWaitMs;
  #lackedAt = Number.NEGATIVE_INFINITY;
  #restoredAt = Number.NEGATIVE_INFINITY;

  constructor(full: number, stopwatch: Stopwatch) {
    this.#full = full;
    this.#stopwatch = stopwatch;
    this.#current = full;
  }

  get current(): number {
    return this.#current;
  }

  /** Halves it, because the server had too few connections. Returns whether that is fewer than before. */
  halve(): boolean {
    const now = this.#stopwatch();
    this.#lackedAt = now;
    if (this.#current === 1) return false;
    if (this.#current === this.#full) {
      const isSoon = now - this.#restoredAt < longestWaitMs;
      this.#waitMs = isSoon ? Math.min(2 * this.#waitMs, longestWaitMs) : shortestWaitMs;
    }
    this.#current = Math.ceil(this.#current / 2);
    return true;
  }

  /** Makes it full again if it is time. Returns whether that is more than before. */
  restoreIfDue(): boolean {
    if (this.#current === this.#full) return false;
    const now = this.#stopwatch();
    if (now - this.#lackedAt < this.#waitMs) return false;
    this.#restoredAt = now;
    this.#current = this.#full;
    return true;
  }
}

export const shortestWaitMs = 15_000;
export const longestWaitMs = 30 * 60_000;
