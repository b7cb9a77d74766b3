import type { Stopwatch } from "../base/clock.ts";
import { durationBounds, type Reading, Registry } from "../metrics/registry.ts";
import type { IdempotencyLimits } from "./idempotency-quota.ts";
import type { StoreTelemetry } from "./store.ts";

type TelemetryOptions = { readonly [Name in keyof StoreTelemetry]?: StoreTelemetry[Name] | undefined };

export interface StoreOptions extends TelemetryOptions {
  /** Maximum number of connections to PostgreSQL. */
  readonly poolSize: number;
  /** Maximum duration of one operation on PostgreSQL. */
  readonly limitMilliseconds?: number | undefined;
  readonly stopwatch?: Stopwatch | undefined;
  readonly idempotencyLimits?: IdempotencyLimits | undefined;
  readonly eventRetentionMs?: number | undefined;
  /** True for a bulk load, in which no client waits for a single write. */
  readonly isBulk?: boolean | undefined;
  /** True to refuse a missing store instead of creating it. */
  readonly mustExist?: boolean | undefined;
  /** Called when the store cannot be written to until the program is restarted. */
  onDeath(reason: string): void;
}

export function fillTelemetry({ note, metrics, slowStatementMs }: TelemetryOptions): StoreTelemetry {
  return {
    note: note ?? (() => {}),
    metrics: metrics ?? new Registry(),
    slowStatementMs: slowStatementMs ?? Number.POSITIVE_INFINITY,
  };
}

export function logIfSlow(
  { note, slowStatementMs }: StoreTelemetry,
  statement: string | (() => string),
  elapsedMs: number,
  fields: Readonly<Record<string, unknown>> = {},
): void {
  if (elapsedMs <= slowStatementMs) return;
  const text = typeof statement === "string" ? statement : statement();
  const shown = text.replace(/\s+/g, " ").trim().slice(0, maxStatementLength);
  note("warn", "a slow statement", { statement: shown, milliseconds: Math.round(elapsedMs), ...fields });
}

const maxStatementLength = 300;

export class WriteMetrics {
  readonly waitSeconds;
  readonly commitWrites;
  readonly commitSeconds;
  readonly batchAnimals;

  constructor(metrics: Registry) {
    const histogram = (name: string, help: string, bounds: readonly number[]) =>
      metrics.histogram(name, help, bounds).with();
    this.waitSeconds = histogram("write_wait_seconds", "Time that a write waited in the queue.", durationBounds);
    this.commitWrites = histogram("commit_writes", "Number of writes that were committed together.", sizeBounds);
    const duration = "Duration of a transaction, with its writes and its commit.";
    this.commitSeconds = histogram("commit_duration_seconds", duration, durationBounds);
    this.batchAnimals = histogram(
      "batch_animals",
      "Number of animals that were added by one write of many.",
      sizeBounds,
    );
  }

  observeCommit(writes: number, elapsedMs: number): void {
    this.commitWrites.observe(writes);
    this.commitSeconds.observe(elapsedMs / 1000);
  }
}

const sizeBounds = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

export type RecordCounts = Readonly<Record<"kept" | "expired", number>>;

export function addRecordGauge(metrics: Registry, count: () => Promise<RecordCounts>): void {
  const help = "Requests with an Idempotency-Key that are stored, and expired ones that are not deleted yet.";
  addSlowGauge(metrics, "claims", help, async () => {
    return Object.entries(await count()).map(([state, number]) => [{ state }, number] as const);
  });
}

export function addEventLogGauge(metrics: Registry, measure: () => Promise<number>): void {
  const help = "Size of the event log with its indexes; on SQLite an estimate from its newest events.";
  addSlowGauge(metrics, "event_log_bytes", help, measure);
}

/** Registers a gauge that is read at most once a minute, because reading it takes long. The gauge has no value while reading fails. */
function addSlowGauge(metrics: Registry, name: string, help: string, read: () => Promise<Reading>): void {
  let reading: Reading;
  let readAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<void> | undefined;
  const refresh = async () => {
    reading = await read().catch(() => undefined);
    readAt = performance.now();
    pending = undefined;
  };
  metrics.onScrape(async () => {
    if (performance.now() - readAt < readIntervalMs) return;
    pending ??= refresh();
    await pending;
  });
  metrics.watch("gauge", name, help, () => reading);
}

const readIntervalMs = 60_000;
