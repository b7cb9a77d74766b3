import type { Stopwatch } from "../../../base/clock.ts";

/**
 * The current size of a pool. It is halved each time that the server lacks connections, and full again after a while without such a
 * lack. The sooner the server lacks connections again, the longer is the next while, because a request that needs a missing connection fails.
 */
export class PoolSize {
  #current: number;
  #waitMs = minWaitMs;
  #lackedAt = Number.NEGATIVE_INFINITY;
  #restoredAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly full: number,
    private readonly stopwatch: Stopwatch,
  ) {
    this.#current = full;
  }

  get current(): number {
    return this.#current;
  }

  /** Returns true if the size is smaller than before. */
  halve(): boolean {
    const now = this.stopwatch();
    this.#lackedAt = now;
    if (this.#current === 1) return false;
    if (this.#current === this.full) {
      const isSoon = now - this.#restoredAt < maxWaitMs;
      this.#waitMs = isSoon ? Math.min(2 * this.#waitMs, maxWaitMs) : minWaitMs;
    }
    this.#current = Math.ceil(this.#current / 2);
    return true;
  }

  /** Returns true if the size is larger than before. */
  restoreIfDue(): boolean {
    const now = this.stopwatch();
    if (this.#current === this.full || now - this.#lackedAt < this.#waitMs) return false;
    this.#restoredAt = now;
    this.#current = this.full;
    return true;
  }
}

export const minWaitMs = 15_000;
export const maxWaitMs = 30 * 60_000;
