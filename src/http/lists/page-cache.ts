import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import type { Registry } from "../../metrics/registry.ts";
import type { DataVersion, Freshness } from "../../store/store.ts";
import { countBodyBytes, HeaderBlock, type HttpResponse } from "../response/http-response.ts";

/**
 * Caches pages of lists while they are fresh. If items were only added, a page with `outlivesAdditions` stays fresh, because all new items
 * come after that page. The last page of a list becomes stale, and so does every page of a list that starts with the newest item.
 */
export class PageCache {
  bytes = 0;
  readonly #pages = new Map<string, Entry>();
  #requestedOnce = new Set<string>();
  #hits = 0;
  #misses = 0;
  #rewrites = 0;

  constructor(
    readonly freshness: Freshness | undefined,
    readonly maxBytes = 16 * 1024 * 1024,
  ) {}

  registerMetrics(metrics: Registry): void {
    const help = "Requests for pages of lists, by whether they came from the cache.";
    metrics.watch("counter", "page_cache_reads_total", help, () => [
      [{ result: "hit" }, this.#hits],
      [{ result: "miss" }, this.#misses],
    ]);
    metrics.watch("gauge", "page_cache_bytes", "Memory that cached pages take.", () => this.bytes);
  }

  read(target: string, read: () => Awaitable<HttpResponse>): Awaitable<HttpResponse> {
    if (!this.freshness || target.length > maxTargetLength) return read();
    const entry = this.#pages.get(target);
    // A page is cached on its second request, because pages requested once, as by a crawler, would evict popular ones.
    if (!entry && !this.#requestedOnce.has(target)) {
      if (this.#requestedOnce.size >= maxRememberedTargets) this.#requestedOnce = new Set();
      this.#requestedOnce.add(target);
      this.#misses++;
      return read();
    }
    const version = this.freshness.currentVersion();
    if (entry) {
      if (isFresh(entry, version)) {
        this.#hits++;
        return entry.response;
      }
      this.#remove(target, entry);
    }
    this.#misses++;
    return mapAwaitable(read(), (response) => {
      this.#add(target, { response: withSharedHeaders(response), version });
      return response;
    });
  }

  #add(target: string, entry: Entry): void {
    // Empties the cache if a change to existing items has made all pages stale, or if the cache is full.
    if (entry.version.rewrites !== this.#rewrites || this.bytes > this.maxBytes) {
      this.#pages.clear();
      this.bytes = 0;
      this.#rewrites = entry.version.rewrites;
    }
    const previous = this.#pages.get(target);
    if (previous) this.#remove(target, previous);
    this.#pages.set(target, entry);
    this.bytes += estimateBytes(target, entry);
  }

  #remove(target: string, entry: Entry): void {
    this.#pages.delete(target);
    this.bytes -= estimateBytes(target, entry);
  }
}

interface Entry {
  readonly response: HttpResponse;
  readonly version: DataVersion;
}

const maxTargetLength = 256;
const maxRememberedTargets = 4_096;
const entryOverheadBytes = 1_024;

function isFresh({ version, response }: Entry, { rewrites, commits }: DataVersion): boolean {
  return version.rewrites === rewrites && (response.outlivesAdditions === true || version.commits === commits);
}

function withSharedHeaders(response: HttpResponse): HttpResponse {
  const shared = new HeaderBlock({ ...response.shared?.fields, ...response.headers });
  return { ...response, headers: {}, shared, bodyBytes: countBodyBytes(response) };
}

/** Assumes two bytes per character, which texts beyond Latin-1 take. */
function estimateBytes(target: string, { response: { body } }: Entry): number {
  return 2 * ((typeof body === "string" ? body.length : 0) + target.length) + entryOverheadBytes;
}
