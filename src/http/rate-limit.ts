import type { Stopwatch } from "../domain/clock.ts";
import type { Caller } from "../domain/key.ts";
import { HttpError } from "./errors.ts";

/** How many requests a key may make in how many seconds. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

/**
 * Counts the requests of each key in windows that start with its first request. Each process counts for itself, so
 * that no request waits for another process.
 */
export class RateLimit {
  readonly #windows = new Map<Caller["key"], Window>();

  constructor(
    readonly quota: Quota,
    readonly stopwatch: Stopwatch,
  ) {}

  /** What the answer tells of the quota (draft-ietf-httpapi-ratelimit-headers), in whole seconds. Throws TooManyRequests. */
  count({ key }: Caller, headers: Record<string, string>): void {
    const { requests, seconds } = this.quota;
    const now = this.stopwatch();
    let window = this.#windows.get(key);
    if (!window || now >= window.end) {
      window = { end: now + seconds * 1000, used: 0 };
      this.#windows.set(key, window);
    }
    window.used++;
    const rest = Math.max(0, requests - window.used);
    const wait = Math.max(1, Math.ceil((window.end - now) / 1000));
    headers["RateLimit-Policy"] = `"default";q=${requests};w=${seconds}`;
    headers["RateLimit"] = `"default";r=${rest};t=${wait}`;
    if (window.used > requests) {
      const span = seconds === 1 ? "second" : `${seconds} seconds`;
      const message = `This key may make ${requests} requests per ${span}. Wait before the next one.`;
      throw new HttpError("TooManyRequests", message, { "Retry-After": String(wait) });
    }
  }
}

interface Window {
  readonly end: number;
  used: number;
}
