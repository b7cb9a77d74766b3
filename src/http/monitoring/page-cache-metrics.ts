import type { Registry } from "../../metrics/registry.ts";
import type { PageCache } from "../lists/page-cache.ts";

export function measurePageCache(metrics: Registry, pageCache: PageCache): void {
  const help = "Pages of lists that were asked for, by whether they came from memory.";
  metrics.watch("counter", "page_cache_reads_total", help, () => [
    [{ result: "hit" }, pageCache.hits],
    [{ result: "miss" }, pageCache.misses],
  ]);
  metrics.watch("gauge", "page_cache_bytes", "Memory that the pages take.", () => pageCache.bytes);
}
