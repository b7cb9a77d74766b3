import type { Reading, Registry } from "../metrics/registry.ts";

export type ClaimCounts = Readonly<Record<"kept" | "expired", number>>;

export function watchClaims(metrics: Registry, count: () => Promise<ClaimCounts>): void {
  const help = "Requests with an Idempotency-Key that are kept, and those that wait to be removed.";
  watchRarely(metrics, "claims", help, async () => {
    return Object.entries(await count()).map(([state, number]) => [{ state }, number] as const);
  });
}

export function watchEventLog(metrics: Registry, measure: () => Promise<number>): void {
  const help = "Size of the event log with its indexes; on SQLite an estimate from its newest events.";
  watchRarely(metrics, "event_log_bytes", help, measure);
}

/** Registers a gauge that is read once a minute, because reading it takes time. It is left out while it cannot be read. */
function watchRarely(metrics: Registry, name: string, help: string, read: () => Promise<Reading>): void {
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
