import type { Page } from "../domain/page.ts";
import type { Operation } from "../operations/operation.ts";
import type { Freshness, Moment } from "../store/store.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./reply.ts";

/** A page of animals as it is sent. */
export interface KeptPage {
  readonly operation: Operation;
  readonly reply: Reply;
}

/**
 * Pages of the list of animals, kept for as long as they are true. A page that has another behind it stays so when
 * animals are only added, since they come behind all others; the last page does not.
 */
export class PageCache {
  readonly #pages = new Map<string, Entry>();
  #askedOnce = new Set<string>();
  #bytes = 0;
  #epoch = 0;

  /** Without a way to tell whether a page is still true, none is kept. */
  constructor(
    readonly freshness: Freshness | undefined,
    readonly mostBytes = 16 * 1024 * 1024,
  ) {}

  /** How much memory the pages take, as far as that can be told. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The page that a request asks for, if it is known and still true. */
  find({ request, target }: Exchange): KeptPage | undefined {
    const entry = this.#pages.get(target);
    if (!entry || !this.freshness || request.method !== "GET" || request.headers.has("prefer")) return undefined;
    const { version, epoch } = this.freshness.now();
    if (entry.moment.epoch === epoch && (entry.isFull || entry.moment.version === version)) return entry;
    this.#drop(target, entry);
    return undefined;
  }

  /** What a page that is read from now on is true of. */
  now(): Moment | undefined {
    return this.freshness?.now();
  }

  /** Keeps a page that was read after that moment, if it has been asked for before. */
  keep({ request, target }: Exchange, operation: Operation, reply: Reply, result: unknown, moment?: Moment): void {
    if (!moment || !operation.paged || operation.tag !== "animals") return;
    if (request.method !== "GET" || request.headers.has("prefer") || target.length > longestTarget) return;
    if (this.#askedOnce.has(target))
      this.#keep(target, { operation, reply: withSharedHeaders(reply), isFull: isFull(result), moment });
    else this.#remember(target);
  }

  #keep(target: string, entry: Entry): void {
    // After a change of animals that were there, nothing from before is of use.
    if (entry.moment.epoch !== this.#epoch || this.#bytes > this.mostBytes) this.#clear(entry.moment.epoch);
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
    if (this.#askedOnce.size >= mostRemembered) this.#askedOnce = new Set();
    this.#askedOnce.add(target);
  }
}

interface Entry extends KeptPage {
  /** Whether there is another page behind it. */
  readonly isFull: boolean;
  readonly moment: Moment;
}

const longestTarget = 256;
const mostRemembered = 4_096;
/** What a page costs besides its text: the entry, its headers and their texts. */
const overhead = 1_024;

/** A page is sent again with all of its headers. */
function withSharedHeaders(reply: Reply): Reply {
  const shared = new Headers(reply.shared);
  for (const [name, value] of Object.entries(reply.headers)) shared.set(name, value);
  return { ...reply, headers: {}, shared };
}

function isFull(result: unknown): boolean {
  return (result as Page<unknown>).next !== undefined;
}

/** Texts of characters beyond Latin-1 take two bytes for each. */
function sizeOf(target: string, { reply }: Entry): number {
  return 2 * ((typeof reply.body === "string" ? reply.body.length : 0) + target.length) + overhead;
}
