import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import type { Registry } from "../../metrics/registry.ts";
import type { DataVersion, Freshness } from "../../store/store.ts";
import { HeaderBlock } from "../response/header-block.ts";
import { bodyBytesOf, type HttpResponse } from "../response/http-response.ts";

/**
 * Pages of lists, kept for as long as they are fresh. A page stays fresh when items are only added, if they come
 * after it: the last page does not, nor does any page of a list that begins with the newest.
 */
export class PageCache {
  readonly #pages = new Map<string, Entry>();
  #askedOnce = new Set<string>();
  #hits = 0;
  #misses = 0;
  #bytes = 0;
  #epoch = 0;

  /** Without a way to tell whether a page is still true, none is kept. */
  constructor(
    readonly freshness: Freshness | undefined,
    readonly maxBytes = 16 * 1024 * 1024,
  ) {}

  /** An estimate of the memory that the pages take. */
  get bytes(): number {
    return this.#bytes;
  }

  measure(metrics: Registry): void {
    const help = "Pages of lists that were asked for, by whether they came from memory.";
    metrics.watch("counter", "page_cache_reads_total", help, () => [
      [{ result: "hit" }, this.#hits],
      [{ result: "miss" }, this.#misses],
    ]);
    metrics.watch("gauge", "page_cache_bytes", "Memory that the pages take.", () => this.#bytes);
  }

  /** The page that a request asks for: the one that is kept, if it is still fresh, or one that is read, and perhaps kept, now. */
  read(target: string, read: () => Awaitable<HttpResponse>): Awaitable<HttpResponse> {
    if (!this.freshness || target.length > maxTargetLength) return read();
    const entry = this.#pages.get(target);
    if (!entry && !this.#askedOnce.has(target)) {
      this.#remember(target);
      this.#misses++;
      return read();
    }
    const moment = this.freshness.currentVersion();
    if (entry) {
      if (
        entry.moment.rewrites === moment.rewrites &&
        (entry.outlivesAdditions || entry.moment.commits === moment.commits)
      ) {
        this.#hits++;
        return entry.reply;
      }
      this.#drop(target, entry);
    }
    this.#misses++;
    return mapAwaitable(read(), (reply) => {
      this.#keep(target, {
        reply: withSharedHeaders(reply),
        outlivesAdditions: reply.outlivesAdditions === true,
        moment,
      });
      return reply;
    });
  }

  #keep(target: string, entry: Entry): void {
    // After a change of animals that were there, nothing from before is of use.
    if (entry.moment.rewrites !== this.#epoch || this.#bytes > this.maxBytes) this.#clear(entry.moment.rewrites);
    const before = this.#pages.get(target);
    if (before) this.#drop(target, before);
    this.#pages.set(target, entry);
    this.#bytes += sizeOf(target, entry);
  }

  #drop(target: string, entry: Entry): void {
    this.#pages.delete(target);
    this.#bytes -= sizeOf(target, entry);
  }

  #clear(epoch: number): void {
    this.#pages.clear();
    this.#bytes = 0;
    this.#epoch = epoch;
  }

  /** Pages that are asked for once, as those of a walk, would only push out others. */
  #remember(target: string): void {
    if (this.#askedOnce.size >= maxRemembered) this.#askedOnce = new Set();
    this.#askedOnce.add(target);
  }
}

interface Entry {
  readonly reply: HttpResponse;
  readonly outlivesAdditions: boolean;
  readonly moment: DataVersion;
}

const maxTargetLength = 256;
const maxRemembered = 4_096;
/** What a page costs besides its text: the entry, its headers and their texts. */
const overheadBytes = 1_024;

/** A page is sent again with all of its headers, and counted once. */
function withSharedHeaders(reply: HttpResponse): HttpResponse {
  const shared = new HeaderBlock({ ...reply.shared?.fields, ...reply.headers });
  return { ...reply, headers: {}, shared, bodyBytes: bodyBytesOf(reply) };
}

/** Texts of characters beyond Latin-1 take two bytes for each. */
function sizeOf(target: string, { reply }: Entry): number {
  return 2 * ((typeof reply.body === "string" ? reply.body.length : 0) + target.length) + overheadBytes;
}
