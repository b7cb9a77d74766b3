import type { Stopwatch } from "../base/clock.ts";
import { type Distribution, durationBounds, type Reading, Registry } from "../metrics/registry.ts";
import type { IdempotencyLimits } from "./idempotency-quota.ts";
import type { StoreTelemetry } from "./store.ts";

export type WatchOptions = { readonly [Name in keyof StoreTelemetry]?: StoreTelemetry[Name] | undefined };

/** `note` gets changes that no caller requested, such as which server is the primary. */
export interface StoreOptions extends WatchOptions {
  /** Maximum number of connections to PostgreSQL. */
  readonly poolSize: number;
  /** Maximum duration of one use of PostgreSQL. */
  readonly limitMilliseconds?: number | undefined;
  readonly stopwatch?: Stopwatch | undefined;
  readonly idempotencyLimits?: IdempotencyLimits | undefined;
  readonly eventRetentionMs?: number | undefined;
  /** True if much is about to be written, and no client waits for a single write. */
  readonly isBulk?: boolean | undefined;
  /** Called when the store can no longer be written to until the program is started again. */
  onDeath(reason: string): void;
}

export interface AdapterOptions extends StoreOptions {
  /** True if a missing store is refused, and not created. */
  readonly mustExist?: boolean | undefined;
}

export function telemetryOf({ note, metrics, slowStatementMs }: WatchOptions): StoreTelemetry {
  return {
    note: note ?? (() => {}),
    metrics: metrics ?? new Registry(),
    slowStatementMs: slowStatementMs ?? Number.POSITIVE_INFINITY,
  };
}

/** Logs a slow statement, or its name, but never a value. */
export function logIfSlow(
  { note, slowStatementMs }: StoreTelemetry,
  statement: string | (() => string),
  elapsedMs: number,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  if (elapsedMs <= slowStatementMs) return;
  const text = (typeof statement === "string" ? statement : statement())
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, maxStatementLength);
  note("warn", "a slow statement", { statement: text, milliseconds: Math.round(elapsedMs), ...fields });
}

const maxStatementLength = 300;

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

  observeWait(elapsedMs: number): void {
    this.#waits.observe(elapsedMs / 1000);
  }

  observeCommit(writes: number, elapsedMs: number): void {
    this.#sizes.observe(writes);
    this.#durations.observe(elapsedMs / 1000);
  }

  observeBatch(animals: number): void {
    this.#batches.observe(animals);
  }
}

const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

export type RecordCounts = Readonly<Record<"kept" | "expired", number>>;

export function addRecordGauge(metrics: Registry, count: () => Promise<RecordCounts>): void {
  const help = "Requests with an Idempotency-Key that are kept, and those that wait to be removed.";
  addSlowGauge(metrics, "claims", help, async () => {
    return Object.entries(await count()).map(([state, number]) => [{ state }, number] as const);
  });
}

export function addEventLogGauge(metrics: Registry, measure: () => Promise<number>): void {
  const help = "Size of the event log with its indexes; on SQLite an estimate from its newest events.";
  addSlowGauge(metrics, "event_log_bytes", help, measure);
}

/** Registers a gauge that is read once a minute, because reading it takes time. It is left out while it cannot be read. */
function addSlowGauge(metrics: Registry, name: string, help: string, read: () => Promise<Reading>): void {
  let reading: Reading;
  let readAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;
  const refresh = async () => {
    reading = await read().catch(() => undefined);
    readAt = performance.now();
    pending = undefined;
  };
  metrics.prepare(async () => {
    if (performance.now() - readAt < readEveryMs) return;
    pending ??= refresh();
    await pending;
  });
  metrics.watch("gauge", name, help, () => reading);
}

const readEveryMs = 60_000;
