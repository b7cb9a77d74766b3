import type { Registry } from "../../metrics/registry.ts";
import type { RequestKind, Store } from "../../store/store.ts";

/** Tells by numbers what `/readyz/reads` and `/readyz/writes` tell by their status. The store is asked when somebody reads them. */
export function measureReadiness(metrics: Registry, store: Store): void {
  const kinds: readonly RequestKind[] = ["reads", "writes"];
  const isReady = new Map<RequestKind, boolean>();
  metrics.onScrape(async () => {
    const ask = (kind: RequestKind) =>
      Promise.try(() => store.requireReady(kind)).then(
        () => true,
        () => false,
      );
    await Promise.all(kinds.map(async (kind) => isReady.set(kind, await ask(kind))));
  });
  metrics.watch("gauge", "ready", "1 while the store can answer requests of that kind.", () =>
    Array.from(isReady, ([kind, is]) => [{ kind }, is ? 1 : 0] as const),
  );
}
