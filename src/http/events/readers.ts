import type { Caller } from "../../domain/key.ts";
import type { Registry } from "../../metrics/registry.ts";
import { HttpError } from "../reply/errors.ts";

/** Who waits for events now: those who follow a stream, and those who wait for an answer. */
export class EventReaders {
  readonly #byKey = new Map<Caller["key"], number>();
  readonly #onLeave = new Set<() => void>();
  #isLeaving = false;

  constructor(
    metrics: Registry,
    readonly mostPerKey: number,
  ) {
    const help = "Streams of events, and requests that wait for one.";
    metrics.watch("gauge", "event_readers", help, () =>
      [...this.#byKey.values()].reduce((sum, count) => sum + count, 0),
    );
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Returns a function that ends it. `onLeave` is called when the service is about to stop. Throws TooManyRequests. */
  enter({ key }: Caller, onLeave: () => void): () => void {
    const count = this.#byKey.get(key) ?? 0;
    if (count >= this.mostPerKey) {
      const message = `This key has ${count} streams and waiting requests, which is the limit. Close one before you open another.`;
      throw new HttpError("TooManyRequests", message, { "Retry-After": "1" });
    }
    this.#byKey.set(key, count + 1);
    this.#onLeave.add(onLeave);
    let isIn = true;
    return () => {
      if (!isIn) return;
      isIn = false;
      this.#onLeave.delete(onLeave);
      const left = (this.#byKey.get(key) ?? 1) - 1;
      if (left === 0) this.#byKey.delete(key);
      else this.#byKey.set(key, left);
    };
  }

  /** Sends all of them away. */
  leave(): void {
    this.#isLeaving = true;
    for (const onLeave of this.#onLeave) onLeave();
  }
}
