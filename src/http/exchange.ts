import type { Caller } from "../domain/key.ts";
import type { Operation } from "../operations/operation.ts";
import type { TimeSpent } from "../store/store.ts";
import type { Span } from "../tracing/tracer.ts";
import type { WireRequest } from "../wire/message.ts";
import type { ClientAddressFinder } from "./request/client-address.ts";
import { parseBearerToken } from "./request/header-fields.ts";
import { mayRevealKey } from "./request/revealed-key.ts";

export interface Listener {
  /** True if the service has reached its maximum of requests in progress. */
  isFull(): boolean;
  /** True if the remaining capacity is reserved for requests with a key. */
  isFullForAnonymous(): boolean;
  /** True once a newer listener owns the port (after a certificate reload); responses then close their connections. */
  isReplaced(): boolean;
}

export class Exchange implements TimeSpent {
  readonly startedAt = performance.now();
  readonly id: string;
  readonly token: string | undefined;
  readonly target: string;
  readonly path: string;
  readonly query: string;
  /** The parameters of the path, percent-decoded. */
  params: Readonly<Record<string, string>> = noParams;
  readonly headers: Record<string, string> = {};
  /** Headers to add to an error response. A successful response gets the same headers from its route. */
  errorHeaders: Readonly<Record<string, string>> | undefined;
  cachedClientAddress: string | undefined;
  caller: Caller | undefined;
  operation: Operation | undefined;
  isKnownPath = false;
  /** The metrics label of a request that is not for an operation. */
  group: "public" | "metrics" | "none" = "none";
  bodyBytes = 0;
  bodyMs = 0;
  storeMs = 0;
  queueMs = 0;
  /** Time spent waiting for events in a long poll, or for an unread body to arrive. `elapsedMs` does not include this time. */
  idleMs = 0;
  bodyStartedAt = 0;
  storeStartedAt = 0;
  span: Span | undefined;

  constructor(
    readonly request: WireRequest,
    readonly listener: Listener,
    readonly clients: ClientAddressFinder,
  ) {
    this.id = chooseRequestId(request);
    this.token = parseBearerToken(request.headers.get("authorization"));
    this.target = request.target;
    const questionMark = this.target.indexOf("?");
    this.path = questionMark < 0 ? this.target : this.target.slice(0, questionMark);
    this.query = questionMark < 0 ? "" : this.target.slice(questionMark + 1);
  }

  get elapsedMs(): number {
    return performance.now() - this.startedAt - this.idleMs;
  }

  clientAddress(): string {
    this.cachedClientAddress ??= this.clients.find(this.request);
    return this.cachedClientAddress;
  }
}

const noParams = {};

/** Returns the request id that a client or proxy has sent, or a new id if the sent one is unsafe in headers and logs or reveals a key. */
export function chooseRequestId({ headers }: WireRequest): string {
  const givenId = headers.get("x-request-id");
  const isSafe = givenId && /^[A-Za-z0-9._:+/=-]{1,128}$/.test(givenId);
  return isSafe && !mayRevealKey(givenId, headers) ? givenId : crypto.randomUUID();
}
