import type { Registry } from "../metrics/registry.ts";

/** How many claims there are, of requests that may still be repeated and of those that may not. */
export interface ClaimCounts {
  readonly kept: number;
  readonly expired: number;
}

/** Counts claims when somebody asks, but not each time, because it takes the longer the more there are. */
export function watchClaims(metrics: Registry, count: () => Promise<ClaimCounts>): void {
  let counts: ClaimCounts | undefined;
  let countedAt = Number.NEGATIVE_INFINITY;
  let counting: Promise<void> | undefined;
  const countAgain = async () => {
    // What cannot be told is left out.
    counts = await count().catch(() => undefined);
    countedAt = performance.now();
    counting = undefined;
  };
  metrics.prepare(async () => {
    if (performance.now() - countedAt < countEveryMs) return;
    counting ??= countAgain();
    await counting;
  });
  const help = "Requests with an Idempotency-Key that are kept, and those that wait to be removed.";
  metrics.watch("gauge", "claims", help, () => {
    if (!counts) return undefined;
    return [
      [{ state: "kept" }, counts.kept],
      [{ state: "expired" }, counts.expired],
    ];
  });
}

const countEveryMs = 60_000;
