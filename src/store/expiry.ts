import { maxClockSkewMs, type Stopwatch } from "../base/clock.ts";
import type { Note } from "./store.ts";
import { recordLifetimeMs } from "./stored-outcome.ts";

/**
 * Decides which data has expired. A wrong clock must not delete data, so nothing expires for one hour after a start, nor for one
 * hour after the clock has jumped ahead of the stopwatch: the operator has that hour to correct the clock.
 */
export class Expiry {
  #pausedUntilMs: number;
  /** Later than the pause if the clock was set back. */
  #trustedFromMs: number;
  /** Time by which the clock was ahead of the stopwatch when they were last compared. */
  #leadMs = Number.NaN;
  #isLogged = false;

  constructor(
    readonly note: Note,
    readonly stopwatch: Stopwatch = () => performance.now(),
  ) {
    this.#pausedUntilMs = stopwatch() + pauseMs;
    this.#trustedFromMs = this.#pausedUntilMs;
  }

  /** Returns the time up to which data with that lifetime has expired; the earliest time of all while nothing expires. */
  cutoff(now: number, lifetimeMs = recordLifetimeMs): number {
    if (this.#compareClocks(now) >= this.#pausedUntilMs) return now - lifetimeMs;
    if (!this.#isLogged) this.#log("info", "the service has just started");
    return Number.MIN_SAFE_INTEGER;
  }

  /**
   * Returns the time after which a clock that was wrong has dated data; the latest time of all for one hour after a start, and after
   * the clock was set back, because it may be wrong now.
   */
  latest(now: number): number {
    return this.#compareClocks(now) >= this.#trustedFromMs ? now + maxClockSkewMs : Number.MAX_SAFE_INTEGER;
  }

  /** Returns the time of the stopwatch. */
  #compareClocks(now: number): number {
    const elapsedMs = this.stopwatch();
    const jumpMs = now - elapsedMs - this.#leadMs;
    this.#leadMs = now - elapsedMs;
    if (Math.abs(jumpMs) > maxCorrectionMs) this.#trustedFromMs = elapsedMs + pauseMs;
    if (jumpMs > maxCorrectionMs) {
      this.#pausedUntilMs = elapsedMs + pauseMs;
      this.#log("warn", `the clock has jumped ahead by ${Math.round(jumpMs / 1000)} seconds`);
    }
    return elapsedMs;
  }

  #log(level: "info" | "warn", cause: string): void {
    this.note(level, "nothing is deleted because of its age for one hour", { cause });
    this.#isLogged = true;
  }
}

const pauseMs = 60 * 60 * 1000;
/** A time server may correct a clock by some seconds at once. */
const maxCorrectionMs = 60 * 1000;
