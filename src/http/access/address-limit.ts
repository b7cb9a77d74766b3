import { isIPv6 } from "node:net";
import type { Quota } from "../../access/rate-limit.ts";
import { Windows } from "../../access/windows.ts";
import type { Stopwatch } from "../../base/clock.ts";
import { Throttled, type ThrottleKind } from "./throttled.ts";

/** Limits what may come from one address, in windows that start with the first of it. */
export class AddressLimit {
  readonly #windows: Windows<string>;

  constructor(
    readonly quota: Quota,
    readonly stopwatch: Stopwatch,
    readonly kind: ThrottleKind,
    /** The error message for requests beyond the limit. */
    readonly complaint: string,
  ) {
    this.#windows = new Windows(quota.seconds * 1000, mostPlaces);
  }

  /** Whether one more would be beyond the quota. */
  isReached(address: string): boolean {
    return this.#windows.used(placeOf(address), this.stopwatch()) >= this.quota.requests;
  }

  /** Counts one more. Throws TooManyRequests beyond the quota. */
  count(address: string): void {
    const now = this.stopwatch();
    const { used, end } = this.#windows.count(placeOf(address), now);
    if (used <= this.quota.requests) return;
    throw new Throttled(this.kind, this.complaint, Math.max(1, Math.ceil((end - now) / 1000)));
  }
}

const mostPlaces = 10_000;

/** A client with one IPv6 address has all of its network. */
function placeOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - front.length - back.length)).fill("0");
  return [...front, ...zeros, ...back].slice(0, 4).join(":");
}
