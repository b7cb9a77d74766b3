import type { Awaitable } from "../base/awaitable.ts";
import type { Stopwatch } from "../base/clock.ts";
import type { Caller } from "../domain/key.ts";
import { SlidingWindow } from "./sliding-window.ts";

/** The maximum number of requests in any window of `seconds`. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

export interface RateLimit {
  readonly quota: Quota;

  count(caller: Caller): Awaitable<QuotaCount>;

  close(): Promise<void>;
}

export interface QuotaCount {
  readonly isRefused: boolean;
  readonly remaining: number;
  /** Time until `remaining` increases. */
  readonly resetsInMs: number;
}

export class LocalRateLimit implements RateLimit {
  readonly #windows = new Map<Caller["key"], SlidingWindow>();

  constructor(
    readonly quota: Quota,
    readonly stopwatch: Stopwatch,
  ) {}

  count({ key }: Caller): QuotaCount {
    const { requests, seconds } = this.quota;
    const now = this.stopwatch();
    const window = this.#windows.getOrInsertComputed(key, () => new SlidingWindow(seconds * 1000));
    const isRefused = window.count(now) >= requests;
    if (!isRefused) window.add(now);
    return { isRefused, remaining: requests - window.count(now), resetsInMs: window.expiresInMs(now) };
  }

  async close(): Promise<void> {}
}
