import { maxClockSkewMs, type Stopwatch } from "../base/clock.ts";
import type { Note } from "./store.ts";
import { recordLifetimeMs } from "./stored-outcome.ts";

/** Lets nothing expire for one hour after a start, and after the clock has jumped ahead: a wrong clock must not delete data. */
export class Expiry {
  #pausedUntilMs: number;
  /** Time of the stopwatch one hour after the start or the last jump of the clock, forwards or backwards. */
  #trustedFromMs: number;
  /** Lead of the clock over the stopwatch at the last comparison. */
  #leadMs = Number.NaN;
  #isPauseLogged = false;

  constructor(
    readonly note: Note,
    readonly stopwatch: Stopwatch = () => performance.now(),
  ) {
    this.#pausedUntilMs = stopwatch() + pauseMs;
    this.#trustedFromMs = this.#pausedUntilMs;
  }

  /** Returns the time up to which data with this lifetime has expired; the minimum time while nothing expires. */
  cutoff(now: number, lifetimeMs = recordLifetimeMs): number {
    if (this.#compareClocks(now) >= this.#pausedUntilMs) return now - lifetimeMs;
    if (!this.#isPauseLogged) this.#log("info", "the service has just started");
    return Number.MIN_SAFE_INTEGER;
  }

  /** Returns the time beyond which a stored date is from a wrong clock; the maximum time while the clock itself may be wrong. */
  maxDate(now: number): number {
    return this.#compareClocks(now) >= this.#trustedFromMs ? now + maxClockSkewMs : Number.MAX_SAFE_INTEGER;
  }

  /** Detects jumps of the clock. Returns the time of the stopwatch. */
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
    this.#isPauseLogged = true;
  }
}

const pauseMs = 60 * 60 * 1000;
/** A time server may correct a clock by some seconds at once. */
const maxCorrectionMs = 60 * 1000;
