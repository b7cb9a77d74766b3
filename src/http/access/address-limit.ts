import { isIPv6 } from "node:net";
import type { Quota } from "../../access/rate-limit.ts";
import { Windows } from "../../access/windows.ts";
import type { Stopwatch } from "../../base/clock.ts";
import { Throttled, type ThrottleKind } from "../../domain/errors.ts";

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
    this.#windows = new Windows(quota.seconds * 1000, maxNetworks);
  }

  /** Whether one more would be beyond the quota. */
  isReached(address: string): boolean {
    const window = this.#windows.find(networkOf(address), this.stopwatch());
    return window !== undefined && window.used >= this.quota.requests;
  }

  /** Counts one more, or an item that has not been counted in this window. Throws TooManyRequests beyond the quota. */
  count(address: string, item?: string): void {
    const now = this.stopwatch();
    const network = networkOf(address);
    if (item !== undefined && this.#windows.find(network, now)?.items?.has(item)) return;
    const window = this.#windows.count(network, now);
    const { used, end } = window;
    if (used <= this.quota.requests) {
      if (item !== undefined) window.items = (window.items ?? new Set()).add(item);
      return;
    }
    throw new Throttled(this.kind, this.complaint, Math.max(1, Math.ceil((end - now) / 1000)));
  }
}

export const maxNetworks = 10_000;

/** Returns the /64 network of an IPv6 address, because a client that has one of its addresses has all of them. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - front.length - back.length)).fill("0");
  return [...front, ...zeros, ...back].slice(0, 4).join(":");
}
