/**
 * Counts events within the last `lengthMs`. Events that are close in time share a span, which bounds the memory. A span expires with its
 * last event, so an event may count up to a tenth of the length too long, but never too short.
 */
export class SlidingWindow {
  readonly spans: Span[] = [];
  #count = 0;

  constructor(readonly lengthMs: number) {}

  count(now: number): number {
    let expired = 0;
    for (const { lastAt, count } of this.spans) {
      if (now < lastAt + this.lengthMs) break;
      this.#count -= count;
      expired++;
    }
    if (expired > 0) this.spans.splice(0, expired);
    return this.#count;
  }

  add(now: number, item?: string): void {
    let span = this.spans.at(-1);
    if (!span || now >= span.firstAt + this.lengthMs / spansPerWindow) {
      span = { firstAt: now, lastAt: now, count: 0 };
      this.spans.push(span);
    }
    span.lastAt = Math.max(span.lastAt, now);
    span.count++;
    this.#count++;
    if (item !== undefined) span.items = (span.items ?? new Set()).add(item);
  }

  has(item: string, now: number): boolean {
    return this.count(now) > 0 && this.spans.some(({ items }) => items?.has(item));
  }

  expiresInMs(now: number): number {
    const [oldest] = this.spans;
    return oldest ? oldest.lastAt + this.lengthMs - now : this.lengthMs;
  }
}

interface Span {
  readonly firstAt: number;
  lastAt: number;
  count: number;
  items?: Set<string>;
}

const spansPerWindow = 10;
