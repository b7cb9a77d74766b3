import type { Caller } from "../domain/key.ts";
import type { Operation } from "../operations/operation.ts";
import type { TimeSpent } from "../store/store.ts";
import type { Span } from "../tracing/tracer.ts";
import type { ClientAddress } from "./request/client-address.ts";
import { requestIdOf } from "./request/request-id.ts";

/** A request as the runtime's router hands it on: with the parameters of its path, if it has matched one that has any. */
export type RoutedRequest = Request & { readonly params?: Readonly<Record<string, string>> };

/** The socket that requests come through. */
export interface Listener {
  /** The address at the other end of the connection. */
  peerOf(request: Request): string;
  /** Whether more requests are in progress than the service accepts. */
  isFull(): boolean;
  /** Whether another takes the connections now, so that this one keeps none. */
  isReplaced(): boolean;
  /** Cuts the connection of a request off, within some seconds, unless its client takes what it is sent. */
  cutIfStalled(request: Request): void;
  /** Takes that back: nothing need move on the connection for as long as on any other. */
  keepOpen(request: Request): void;
  /** How much the client of a request has not taken of what it was sent, if that is known. */
  unsentBytes(request: Request): number | undefined;
}

/** A request, and what becomes known of it on its way. */
export class Exchange implements TimeSpent {
  readonly start = performance.now();
  readonly id: string;
  /** The path with the query. */
  readonly target: string;
  readonly path: string;
  readonly query: string;
  /** What the response carries however it ends. */
  readonly headers: Record<string, string> = {};
  /** What an error carries besides; the replies of the operation have it already. */
  ofErrors: Readonly<Record<string, string>> | undefined;
  /** Where it came from, if that had to be found out. */
  client: string | undefined;
  caller: Caller | undefined;
  operation: Operation | undefined;
  /** What it is counted as, if it is for no operation. */
  group: "public" | "metrics" | "none" = "none";
  bodyBytes = 0;
  /** For how long its body was waited for, how long the store had it, and how long it waited there for its turn. */
  bodyMs = 0;
  storeMs = 0;
  queueMs = 0;
  /** For how long it has waited on its client: for events that it wanted to wait for, or for a body that nobody reads. */
  idleMs = 0;
  /** When these began. */
  bodyAt = 0;
  storeAt = 0;
  /** If it is traced. */
  span: Span | undefined;

  constructor(
    readonly request: RoutedRequest,
    readonly listener: Listener,
    readonly clients: ClientAddress,
  ) {
    this.id = requestIdOf(request);
    this.target = targetOf(request.url);
    const mark = this.target.indexOf("?");
    this.path = mark < 0 ? this.target : this.target.slice(0, mark);
    this.query = mark < 0 ? "" : this.target.slice(mark + 1);
  }

  /** Finds out where the request comes from, which is asked only when it matters. */
  clientAddress(): string {
    this.client ??= this.clients.of(this.request, this.listener.peerOf(this.request));
    return this.client;
  }
}

/** By hand, because with a malformed `Host` the runtime gives a bare path, which no URL parser takes. */
function targetOf(url: string): string {
  return url.startsWith("/") ? url : url.slice(url.indexOf("/", url.indexOf("://") + 3));
}
