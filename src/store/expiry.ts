import type { Stopwatch } from "../base/clock.ts";
import { claimLifetimeMs } from "./conclusion.ts";
import type { Note } from "./store.ts";

/**
 * Decides which data has expired. A wrong clock must not delete data, so nothing expires for one hour after a start, nor for one
 * hour after the clock has jumped ahead of the stopwatch: the operator has that hour to correct the clock.
 */
export class Expiry {
  #pausedUntilMs: number;
  /** Time by which the clock was ahead of the stopwatch when they were last compared. */
  #leadMs = Number.POSITIVE_INFINITY;
  #isLogged = false;

  constructor(
    readonly note: Note,
    readonly stopwatch: Stopwatch = () => performance.now(),
  ) {
    this.#pausedUntilMs = stopwatch() + pauseMs;
  }

  /** Returns the time up to which data with that lifetime has expired; the earliest time of all while nothing expires. */
  cutoff(now: number, lifetimeMs = claimLifetimeMs): number {
    const elapsedMs = this.stopwatch();
    const jumpMs = now - elapsedMs - this.#leadMs;
    this.#leadMs = now - elapsedMs;
    if (jumpMs > maxCorrectionMs) {
      this.#pausedUntilMs = elapsedMs + pauseMs;
      this.#log("warn", `the clock has jumped ahead by ${Math.round(jumpMs / 1000)} seconds`);
    }
    if (elapsedMs >= this.#pausedUntilMs) return now - lifetimeMs;
    if (!this.#isLogged) this.#log("info", "the service has just started");
    return Number.MIN_SAFE_INTEGER;
  }

  #log(level: "info" | "warn", cause: string): void {
    this.note(level, "nothing is deleted because of its age for one hour", { cause });
    this.#isLogged = true;
  }
}

const pauseMs = 60 * 60 * 1000;
/** A time server may correct a clock by some seconds at once. */
const maxCorrectionMs = 60 * 1000;
