import { type Distribution, durationBounds, Registry } from "../metrics/registry.ts";
import type { Attribution, StoreWatch } from "./store.ts";

/** Whatever a store was not told is watched by nobody. */
export type WatchOptions = { readonly [Name in keyof StoreWatch]?: StoreWatch[Name] | undefined };

export function watchOf({ note, metrics, slowStatementMs }: WatchOptions): StoreWatch {
  return {
    note: note ?? (() => {}),
    metrics: metrics ?? new Registry(),
    slowStatementMs: slowStatementMs ?? Number.POSITIVE_INFINITY,
  };
}

/** Notes what took too long: the statement, or its name, but never a value. */
export function noteIfSlow(
  { note, slowStatementMs }: StoreWatch,
  statement: string | (() => string),
  elapsedMs: number,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  if (elapsedMs <= slowStatementMs) return;
  const text = (typeof statement === "string" ? statement : statement())
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, longestStatement);
  note("warn", "a slow statement", { statement: text, milliseconds: Math.round(elapsedMs), ...fields });
}

const longestStatement = 300;

/** By what requests and operators are told how their writes go. */
export interface WriteWatch {
  readonly attribution: Attribution;
  readonly metrics: WriteMetrics;
}

/** How writes wait, and how they are committed. */
export class WriteMetrics {
  readonly #waits: Distribution;
  readonly #sizes: Distribution;
  readonly #durations: Distribution;
  readonly #batches: Distribution;

  constructor(metrics: Registry) {
    this.#waits = metrics
      .histogram("write_wait_seconds", "How long a write waited for its turn.", durationBounds)
      .with();
    this.#sizes = metrics.histogram("commit_writes", "How many writes were committed together.", sizeBounds).with();
    this.#durations = metrics
      .histogram(
        "commit_duration_seconds",
        "How long a transaction took, with its writes and its commit.",
        durationBounds,
      )
      .with();
    this.#batches = metrics
      .histogram("batch_animals", "How many animals were added by one write of many.", sizeBounds)
      .with();
  }

  waited(elapsedMs: number): void {
    this.#waits.observe(elapsedMs / 1000);
  }

  committed(writes: number, elapsedMs: number): void {
    this.#sizes.observe(writes);
    this.#durations.observe(elapsedMs / 1000);
  }

  addedTogether(animals: number): void {
    this.#batches.observe(animals);
  }
}

const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];
