import type { Awaitable } from "../../base/awaitable.ts";
import type { Stopwatch } from "../../base/clock.ts";
import type { Caller } from "../../domain/key.ts";
import { Throttled } from "./throttled.ts";

/** How many requests a key may make in how many seconds. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts the requests of each key, and reports the count in the response headers. */
export interface RateLimit {
  /** Throws TooManyRequests. */
  count(caller: Caller, headers: Record<string, string>): Awaitable<void>;

  /** Called when nothing is to be counted any more. */
  close(): Promise<void>;
}

/** For a process that is the only one: windows start with the first request of a key. */
export class OwnRateLimit implements RateLimit {
  readonly #windows = new Map<Caller["key"], Window>();

  constructor(
    readonly quota: Quota,
    readonly stopwatch: Stopwatch,
  ) {}

  count({ key }: Caller, headers: Record<string, string>): void {
    const { requests, seconds } = this.quota;
    const now = this.stopwatch();
    let window = this.#windows.get(key);
    if (!window || now >= window.end) {
      window = { end: now + seconds * 1000, used: 0 };
      this.#windows.set(key, window);
    }
    window.used++;
    const isRefused = window.used > requests;
    tellOfQuota(headers, this.quota, { isRefused, left: requests - window.used, endsInMs: window.end - now });
  }

  async close(): Promise<void> {}
}

/** What the answer says of the quota (draft-ietf-httpapi-ratelimit-headers), in whole seconds. Throws TooManyRequests. */
export function tellOfQuota(headers: Record<string, string>, { requests, seconds }: Quota, count: QuotaCount): void {
  const wait = Math.max(1, Math.ceil(count.endsInMs / 1000));
  headers["RateLimit-Policy"] = `"default";q=${requests};w=${seconds}`;
  headers["RateLimit"] = `"default";r=${Math.max(0, count.left)};t=${wait}`;
  if (!count.isRefused) return;
  const span = seconds === 1 ? "second" : `${seconds} seconds`;
  const message = `This key may make ${requests} requests per ${span}. Wait before the next one.`;
  throw new Throttled("quota", message, wait);
}

export interface QuotaCount {
  readonly isRefused: boolean;
  readonly left: number;
  readonly endsInMs: number;
}

interface Window {
  readonly end: number;
  used: number;
}
