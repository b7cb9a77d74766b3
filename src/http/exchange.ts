import type { Caller } from "../domain/key.ts";
import type { Operation } from "../operations/operation.ts";
import type { TimeSpent } from "../store/store.ts";
import type { Span } from "../tracing/tracer.ts";
import type { WireRequest } from "../wire/message.ts";
import type { ClientAddress } from "./request/client-address.ts";
import { requestIdOf } from "./request/request-id.ts";

/** The socket that requests come through. */
export interface Listener {
  /** Whether more requests are in progress than the service accepts. */
  isFull(): boolean;
  /** Whether the places that are left are for requests with a key. */
  isCrowded(): boolean;
  /** Whether another takes the connections now, so that this one keeps none. */
  isReplaced(): boolean;
}

/** A request, and what becomes known of it on its way. */
export class Exchange implements TimeSpent {
  readonly start = performance.now();
  readonly id: string;
  /** The path with the query. */
  readonly target: string;
  readonly path: string;
  readonly query: string;
  /** Those of the path, if it has any. */
  params: Readonly<Record<string, string>> = noParams;
  /** What the response carries however it ends. */
  readonly headers: Record<string, string> = {};
  /** What an error carries besides; the replies of the operation have it already. */
  ofErrors: Readonly<Record<string, string>> | undefined;
  /** Where it came from, if that had to be found out. */
  client: string | undefined;
  caller: Caller | undefined;
  operation: Operation | undefined;
  /** Whether anything is at its path. */
  isKnownPath = false;
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
    readonly request: WireRequest,
    readonly listener: Listener,
    readonly clients: ClientAddress,
  ) {
    this.id = requestIdOf(request);
    this.target = request.target;
    const mark = this.target.indexOf("?");
    this.path = mark < 0 ? this.target : this.target.slice(0, mark);
    this.query = mark < 0 ? "" : this.target.slice(mark + 1);
  }

  /** Finds out where the request comes from, which is asked only when it matters. */
  clientAddress(): string {
    this.client ??= this.clients.of(this.request);
    return this.client;
  }
}

const noParams = {};
