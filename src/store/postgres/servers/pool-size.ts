import type { Stopwatch } from "../../../base/clock.ts";

/**
 * The current size of a pool. It is halved each time the server runs out of connections, and restored after a wait. The wait doubles if
 * the server soon runs out again, because each time, a request fails.
 */
export class PoolSize {
  #current: number;
  #waitMs = minWaitMs;
  #halvedAt = Number.NEGATIVE_INFINITY;
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

  halve(): boolean {
    const now = this.stopwatch();
    this.#halvedAt = now;
    if (this.#current === 1) return false;
    if (this.#current === this.full) {
      const isSoon = now - this.#restoredAt < maxWaitMs;
      this.#waitMs = isSoon ? Math.min(2 * this.#waitMs, maxWaitMs) : minWaitMs;
    }
    this.#current = Math.ceil(this.#current / 2);
    return true;
  }

  restoreIfDue(): boolean {
    const now = this.stopwatch();
    if (this.#current === this.full || now - this.#halvedAt < this.#waitMs) return false;
    this.#restoredAt = now;
    this.#current = this.full;
    return true;
  }
}

export const minWaitMs = 15_000;
export const maxWaitMs = 30 * 60_000;
