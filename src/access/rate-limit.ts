import type { Awaitable } from "../base/awaitable.ts";
import type { Stopwatch } from "../base/clock.ts";
import type { Caller } from "../domain/key.ts";
import { Windows } from "./windows.ts";

/** How many requests a key may make in how many seconds. */
export interface Quota {
  readonly requests: number;
  readonly seconds: number;
}

/** Counts the requests of each key. */
export interface RateLimit {
  readonly quota: Quota;

  /** Counts one more. */
  count(caller: Caller): Awaitable<QuotaCount>;

  /** Called when nothing is to be counted any more. */
  close(): Promise<void>;
}

/** What became of one request. */
export interface QuotaCount {
  readonly isRefused: boolean;
  /** How many more the key may make, below 0 if it has made too many. */
  readonly left: number;
  readonly endsInMs: number;
}

/** For a process that is the only one: windows start with the first request of a key. */
export class OwnRateLimit implements RateLimit {
  readonly #windows: Windows<Caller["key"]>;

  constructor(
    readonly quota: Quota,
    readonly stopwatch: Stopwatch,
  ) {
    this.#windows = new Windows(quota.seconds * 1000);
  }

  count({ key }: Caller): QuotaCount {
    const { requests } = this.quota;
    const now = this.stopwatch();
    const { used, end } = this.#windows.count(key, now);
    return { isRefused: used > requests, left: requests - used, endsInMs: end - now };
  }

  async close(): Promise<void> {}
}
