import { isIPv6 } from "node:net";
import type { Stopwatch } from "../../base/clock.ts";
import type { Quota } from "./rate-limit.ts";
import { Throttled, type ThrottleKind } from "./throttled.ts";

/** Limits what may come from one address, in windows that start with the first of it. */
export class AddressLimit {
  readonly #windows = new Map<string, { readonly end: number; count: number }>();

  constructor(
    readonly quota: Quota,
    readonly stopwatch: Stopwatch,
    readonly kind: ThrottleKind,
    /** The error message for requests beyond the limit. */
    readonly complaint: string,
  ) {}

  /** Counts one more. Throws TooManyRequests beyond the quota. */
  count(address: string): void {
    const place = placeOf(address);
    const now = this.stopwatch();
    let window = this.#windows.get(place);
    if (!window || now >= window.end) {
      window = { end: now + this.quota.seconds * 1000, count: 0 };
      this.#remember(place, window);
    }
    window.count++;
    if (window.count <= this.quota.requests) return;
    const wait = Math.max(1, Math.ceil((window.end - now) / 1000));
    throw new Throttled(this.kind, this.complaint, wait);
  }

  /** Memory is bounded, however many addresses there are: the oldest window is forgotten. */
  #remember(place: string, window: { readonly end: number; count: number }): void {
    this.#windows.delete(place);
    this.#windows.set(place, window);
    if (this.#windows.size <= mostPlaces) return;
    const [oldest] = this.#windows.keys();
    if (oldest !== undefined) this.#windows.delete(oldest);
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
