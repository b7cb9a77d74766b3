import type { Awaitable } from "../base/awaitable.ts";
import { oneAtATime } from "../base/one-at-a-time.ts";
import { Throttled } from "../domain/errors.ts";
import type { Caller } from "../domain/key.ts";
import type { Registry } from "../metrics/registry.ts";

/** An event stream, or a request that waits for events. */
export interface EventReader {
  check(): Awaitable<unknown>;
  refuse(error: unknown): void;
  wakeIfQuiet?(): void;
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
    this.#timer ??= setInterval(() => this.#checkReaders(), recheckIntervalMs);
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

  #checkReaders(): void {
    for (const { readers, check } of this.#byKey.values()) {
      for (const reader of readers) reader.wakeIfQuiet?.();
      check();
    }
  }
}

class KeyReaders {
  readonly readers = new Set<EventReader>();

  /** Checks all readers of a key with one request to the store. Only one check runs at a time. */
  readonly check = oneAtATime(async () => {
    const [first] = this.readers;
    try {
      await first?.check();
    } catch (error) {
      for (const reader of this.readers) reader.refuse(error);
    }
  });
}

/** Less than half a second: a revoked key must stop working within a second, but the result of a check may be an interval old. */
export const recheckIntervalMs = 450;
