import { isIPv6 } from "node:net";
import type { Quota } from "../../access/rate-limit.ts";
import { SlidingWindow } from "../../access/sliding-window.ts";
import type { Stopwatch } from "../../base/clock.ts";
import { Throttled, type ThrottleKind } from "../../domain/errors.ts";

/** Limits the number of requests, or of different items such as wrong keys, that one IP address may send. */
export class AddressLimit {
  readonly #windows = new Map<string, SlidingWindow>();

  constructor(
    readonly quota: Quota,
    readonly stopwatch: Stopwatch,
    readonly kind: ThrottleKind,
    readonly complaint: string,
  ) {}

  isReached(address: string): boolean {
    const window = this.#windows.get(toNetwork(address));
    return window !== undefined && window.count(this.stopwatch()) >= this.quota.requests;
  }

  /** Counts a request, or each different item once. Throws TooManyRequests beyond the quota. */
  count(address: string, item?: string): void {
    const now = this.stopwatch();
    const window = this.#openWindow(toNetwork(address), now);
    if (item !== undefined && window.has(item, now)) return;
    if (window.count(now) >= this.quota.requests) {
      throw new Throttled(this.kind, this.complaint, Math.max(1, Math.ceil(window.expiresInMs(now) / 1000)));
    }
    window.add(now, item);
  }

  #openWindow(network: string, now: number): SlidingWindow {
    const existing = this.#windows.get(network);
    if (existing && existing.count(now) > 0) return existing;
    const window = existing ?? new SlidingWindow(this.quota.seconds * 1000);
    this.#windows.delete(network);
    this.#windows.set(network, window);
    const [oldest] = this.#windows.keys();
    if (this.#windows.size > maxNetworks && oldest !== undefined) this.#windows.delete(oldest);
    return window;
  }
}

export const maxNetworks = 10_000;

/** Returns the /64 network of an IPv6 address, because a client usually controls a whole network; returns other addresses unchanged. */
export function toNetwork(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const front = head === "" ? [] : head.split(":");
  const back = tail ? tail.split(":") : [];
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - front.length - back.length)).fill("0");
  return [...front, ...zeros, ...back].slice(0, 4).join(":");
}
