import type { Awaitable } from "../base/awaitable.ts";
import { oneAtATime } from "../base/one-at-a-time.ts";
import { Throttled } from "../domain/errors.ts";
import type { Caller } from "../domain/key.ts";
import type { Registry } from "../metrics/registry.ts";

/** One who waits for events. */
export interface EventReader {
  /** Throws if its key does not work any more. */
  check(): Awaitable<unknown>;
  /** What came of a check that has failed. */
  refuse(error: unknown): void;
  /** Called again and again. */
  beat?(): void;
  /** Called when the service is about to stop. */
  finish(): void;
}

/** Who waits for events now: those who follow a stream, and those who wait for an answer. */
export class EventReaders {
  readonly #byKey = new Map<Caller["key"], KeyReaders>();
  #isLeaving = false;
  #timer: Timer | undefined;

  constructor(
    metrics: Registry,
    readonly maxPerKey: number,
  ) {
    const help = "Streams of events, and requests that wait for one.";
    metrics.watch("gauge", "event_readers", help, () =>
      this.#byKey.values().reduce((sum, { readers }) => sum + readers.size, 0),
    );
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** Returns a function that ends it. Throws TooManyRequests. */
  enter({ key }: Caller, reader: EventReader): () => void {
    const ofKey = this.#byKey.get(key) ?? readersOfKey();
    const { readers } = ofKey;
    if (readers.size >= this.maxPerKey) {
      const message = `This key has ${readers.size} streams and waiting requests, which is the limit. Close one before you open another.`;
      throw new Throttled("streams", message, 1);
    }
    readers.add(reader);
    this.#byKey.set(key, ofKey);
    // One timer for all of them: with one each, a thousand idle readers would do nothing but wake up.
    this.#timer ??= setInterval(() => this.#beat(), recheckIntervalMs);
    // Who comes while the service is about to stop is sent away like those who came before.
    if (this.#isLeaving) reader.finish();
    return () => {
      readers.delete(reader);
      if (readers.size > 0 || this.#byKey.get(key) !== ofKey) return;
      this.#byKey.delete(key);
      if (this.#byKey.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  /** Sends all of them away. */
  leave(): void {
    this.#isLeaving = true;
    for (const { readers } of this.#byKey.values()) {
      for (const reader of readers) reader.finish();
    }
  }

  #beat(): void {
    for (const { readers, check } of this.#byKey.values()) {
      for (const reader of readers) reader.beat?.();
      check();
    }
  }
}

interface KeyReaders {
  readonly readers: Set<EventReader>;
  check(): void;
}

/** A store that does not answer is not asked again for the same key before it has, or has failed. */
function readersOfKey(): KeyReaders {
  const readers = new Set<EventReader>();
  return { readers, check: oneAtATime(() => checkOne(readers)) };
}

/** They have the same key, so that one of them is checked for all. */
async function checkOne(readers: ReadonlySet<EventReader>): Promise<void> {
  const [first] = readers;
  try {
    await first?.check();
  } catch (error) {
    for (const reader of readers) reader.refuse(error);
  }
}

/** A key that was revoked must be of no use within a second, and what is known of it then may be as old as this. */
export const recheckIntervalMs = 450;
