import type { Awaitable } from "../base/awaitable.ts";
import { oneAtATime } from "../base/one-at-a-time.ts";
import { Throttled } from "../domain/errors.ts";
import type { Caller } from "../domain/key.ts";
import type { Registry } from "../metrics/registry.ts";

/** An event stream, or a request that waits for events. */
export interface EventReader {
  check(): Awaitable<unknown>;
  refuse(error: unknown): void;
  beat?(): void;
  finish(): void;
}

export class EventReaders {
  isDraining = false;
  readonly #byKey = new Map<Caller["key"], KeyReaders>();
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

  enter({ key }: Caller, reader: EventReader): () => void {
    const keyReaders = this.#byKey.get(key) ?? new KeyReaders();
    const { readers } = keyReaders;
    if (readers.size >= this.maxPerKey) {
      const message = `This key has ${readers.size} streams and waiting requests, which is the limit. Close one before you open another.`;
      throw new Throttled("streams", message, 1);
    }
    readers.add(reader);
    this.#byKey.set(key, keyReaders);
    // All readers share one timer: a thousand idle readers with a timer each would keep the process busy.
    this.#timer ??= setInterval(() => this.#beat(), recheckIntervalMs);
    if (this.isDraining) queueMicrotask(() => reader.finish());
    return () => {
      readers.delete(reader);
      if (readers.size > 0 || this.#byKey.get(key) !== keyReaders) return;
      this.#byKey.delete(key);
      if (this.#byKey.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    };
  }

  startDraining(): void {
    this.isDraining = true;
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

class KeyReaders {
  readonly readers = new Set<EventReader>();

  /** Checks all readers with one request to the store, and sends the next request only after that one has succeeded or failed. */
  readonly check = oneAtATime(async () => {
    const [first] = this.readers;
    try {
      await first?.check();
    } catch (error) {
      for (const reader of this.readers) reader.refuse(error);
    }
  });
}

/** A revoked key must stop working within a second; the result of a check may itself be as old as this interval. */
export const recheckIntervalMs = 450;
