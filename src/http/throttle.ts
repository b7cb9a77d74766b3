import { isIPv6 } from "node:net";
import type { Stopwatch } from "../domain/clock.ts";
import { HttpError } from "./errors.ts";

/**
 * Makes guessing hopeless: after too many wrong keys from one address, none from there is even looked at for a while,
 * but for those that have been right from there before, so that clients that share the address can go on.
 */
export class Throttle {
  readonly #wrong = new Map<string, { readonly end: number; count: number }>();
  readonly #right = new Map<string, Set<string>>();

  constructor(
    readonly stopwatch: Stopwatch,
    readonly mostWrong: number,
  ) {}

  /** Whether there is anybody to look at, which there hardly ever is. */
  get isWary(): boolean {
    if (this.#wrong.size === 0) return false;
    for (const [place, { end }] of this.#wrong) {
      if (this.stopwatch() < end) return true;
      this.#wrong.delete(place);
    }
    return false;
  }

  /** Throws TooManyRequests. `key` is a name for the key that was sent, not the key itself. */
  check(address: string, key: string): void {
    const place = placeOf(address);
    const now = this.stopwatch();
    const wrong = this.#wrong.get(place);
    if (wrong && now < wrong.end && wrong.count >= this.mostWrong && !this.#right.get(place)?.has(key)) {
      throw new HttpError(
        "TooManyRequests",
        "Too many wrong API keys were sent from this address. Wait before the next one.",
        {
          "Retry-After": String(Math.ceil((wrong.end - now) / 1000)),
        },
      );
    }
  }

  recordWrong(address: string): void {
    const place = placeOf(address);
    const wrong = this.#wrong.get(place);
    if (wrong && this.stopwatch() < wrong.end) wrong.count++;
    else remember(this.#wrong, place, { end: this.stopwatch() + windowMilliseconds, count: 1 });
  }

  recordRight(address: string, key: string): void {
    const place = placeOf(address);
    const keys = this.#right.get(place) ?? new Set();
    if (keys.size >= mostKeys) keys.clear();
    keys.add(key);
    remember(this.#right, place, keys);
  }
}

export const mostWrongKeys = 20;
const windowMilliseconds = 60_000;
/** Memory is bounded, whoever comes from wherever: the oldest are forgotten. */
const mostPlaces = 10_000;
const mostKeys = 100;

/** Whoever has one address of version 6 has all of its network. */
function placeOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - front.length - back.length)).fill("0");
  return [...front, ...zeros, ...back].slice(0, 4).join(":");
}

/** Those that were set last come last. */
function remember<Value>(map: Map<string, Value>, place: string, value: Value): void {
  map.delete(place);
  map.set(place, value);
  if (map.size <= mostPlaces) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
