import type { Quota, RateLimit } from "../access/rate-limit.ts";
import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import type { Stopwatch } from "../base/clock.ts";
import type { ServiceError } from "../domain/errors.ts";
import type { Caller } from "../domain/key.ts";
import { EventReaders } from "../feed/readers.ts";
import type { Log } from "../log/log.ts";
import type { Registry } from "../metrics/registry.ts";
import type { ErrorCode } from "../operations/errors.ts";
import { basePath, type WebhookService } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import type { Tracer } from "../tracing/tracer.ts";
import type { Fault } from "../wire/head.ts";
import type { WireRequest, WireResponse } from "../wire/message.ts";
import { AddressLimit } from "./access/address-limit.ts";
import { type Authenticator, requireScope } from "./access/authentication.ts";
import { Cors } from "./access/cors.ts";
import { setRateLimitHeaders } from "./access/rate-limit-headers.ts";
import { parseBearerToken } from "./access/token.ts";
import { EndpointTable } from "./endpoint-table.ts";
import { Exchange, type Listener } from "./exchange.ts";
import { HttpError, lastOfConnection } from "./http-error.ts";
import { Idempotency } from "./idempotency.ts";
import { PageCache } from "./lists/page-cache.ts";
import { SharedReads } from "./lists/shared-reads.ts";
import { metricsPath, metricsResponse } from "./monitoring/metrics-endpoint.ts";
import { measureReadiness } from "./monitoring/readiness.ts";
import { RefusalLog } from "./monitoring/refusal-log.ts";
import { logRequest } from "./monitoring/request-log.ts";
import { RequestMetrics } from "./monitoring/request-metrics.ts";
import { traceRequest } from "./monitoring/request-trace.ts";
import { serverTiming } from "./monitoring/timing.ts";
import type { DocumentSource } from "./public/document-source.ts";
import { errorsEndpoint, notFoundFor, robotsEndpoint } from "./public/html-pages.ts";
import { referenceEndpoint } from "./public/reference.ts";
import { serviceEndpoints } from "./public/service-endpoints.ts";
import { fileEndpoint, isTyped, type WebFile, type WebFiles, withoutSlash } from "./public/web-files.ts";
import { BodyMemory, type BodyMemoryLimits, defaultBodyMemoryLimits } from "./request/body-memory.ts";
import { ClientAddress } from "./request/client-address.ts";
import { errorOfFault } from "./request/fault.ts";
import { defaultUnreadBodyLimits, leavesBody, UnreadBodies, type UnreadBodyLimits } from "./request/unread-body.ts";
import { errorResponse, toServiceError } from "./response/errors.ts";
import { bodyBytesOf, type HttpResponse, toResponse } from "./response/http-response.ts";
import { UrlBuilder } from "./response/url-builder.ts";
import { routeOf } from "./route.ts";
import { defaultRouteLimits, type Endpoint, type RouteLimits } from "./route-parts.ts";
import { requireRead, routeTable } from "./router.ts";

export interface AppParts extends DocumentSource {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly stopwatch: Stopwatch;
  readonly log: Log;
  readonly metrics: Registry;
  /** None unless configured. */
  readonly tracer?: Tracer | undefined;
  /** Whether those who have a key are served the metrics, because they have no port of their own. */
  readonly servesMetrics: boolean;
  /** Whether every answer says where its time went. */
  readonly sendsServerTiming?: boolean;
  /** A request that takes longer is a warning. */
  readonly slowRequestMs?: number | undefined;
  readonly limits?: Partial<RouteLimits>;
  readonly unreadBodyLimits?: Partial<UnreadBodyLimits>;
  readonly bodyMemoryLimits?: BodyMemoryLimits;
  /** How many streams and waiting requests a key may have, if not as many as usual. */
  readonly maxEventReaders?: number | undefined;
  readonly webhooks: WebhookService;
  /** None unless configured. */
  readonly rateLimit?: RateLimit | undefined;
  /** How many requests without a key may come from one address. */
  readonly anonymousQuota?: Quota | undefined;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  /** The path under which clients find the interface, if a proxy puts something before it. */
  readonly publicPath?: string | undefined;
  /** What browsers are shown, if that was built. */
  readonly pages?: WebFiles | undefined;
}

/**
 * The service as a function from requests to responses, apart from the socket that they come through. A request goes through
 * `answer`, the place at its path, `#admit` and, if it is for an operation, the operation's route.
 */
export class App {
  readonly #places: EndpointTable;
  readonly #anonymousLimit: AddressLimit | undefined;
  readonly #addresses: UrlBuilder;
  readonly #clients: ClientAddress;
  readonly #cors: Cors;
  readonly #notFound: (request: WireRequest) => HttpResponse | undefined;
  readonly #requestMetrics: RequestMetrics;
  readonly refusals: RefusalLog;
  readonly #readers: EventReaders;
  readonly #unreadBodies: UnreadBodies;
  /** Apart, so that clients that ask too much cannot take the places of others. */
  readonly #unreadBodiesOfThrottled: UnreadBodies;
  #isLeaving = false;

  constructor(readonly parts: AppParts) {
    const { anonymousQuota, stopwatch, clock } = parts;
    this.#anonymousLimit =
      anonymousQuota &&
      new AddressLimit(
        anonymousQuota,
        stopwatch,
        "anonymous",
        "Too many requests without an API key, or malformed ones, were sent from this IP address. Wait before the next one.",
      );
    this.#addresses = new UrlBuilder(parts.publicPath ?? basePath, clock);
    this.#clients = new ClientAddress(parts.trustedProxies);
    this.#cors = new Cors(parts.corsOrigins);
    this.#notFound = notFoundFor(parts.pages !== undefined);
    this.#requestMetrics = new RequestMetrics(parts.metrics);
    this.refusals = new RefusalLog(parts.log);
    this.#readers = new EventReaders(parts.metrics, parts.maxEventReaders ?? defaultMaxEventReaders);
    const unread = { ...defaultUnreadBodyLimits, ...parts.unreadBodyLimits };
    this.#unreadBodies = new UnreadBodies(unread);
    this.#unreadBodiesOfThrottled = new UnreadBodies({ ...unread, timeoutMs: unread.throttledTimeoutMs });
    measureReadiness(parts.metrics, parts.store);
    this.#places = new EndpointTable([...this.#publicPlaces(), ...this.#metricsPlaces(), ...this.#operationPlaces()]);
  }

  /** From now on `/readyz` sends traffic elsewhere, and every answer ends its connection. */
  startDraining(): void {
    this.#isLeaving = true;
    this.#readers.leave();
  }

  answer(request: WireRequest, listener: Listener): Awaitable<WireResponse> {
    const exchange = new Exchange(request, listener, this.#clients);
    request.peer.isTrusted = false;
    try {
      const reply = this.#reply(exchange);
      if (!(reply instanceof Promise)) return this.#send(exchange, reply);
      return reply.then(
        (done) => this.#send(exchange, done),
        (error) => this.#fail(exchange, error),
      );
    } catch (error) {
      return this.#fail(exchange, error);
    }
  }

  #reply(exchange: Exchange): Awaitable<HttpResponse> {
    const { fault } = exchange.request;
    const found = this.#places.find(exchange.path);
    exchange.isKnownPath = found !== undefined;
    if (this.#cors.isOn) this.#cors.mark(exchange);
    if (fault) this.#refuse(exchange, fault);
    const preflight = this.#cors.isOn ? this.#preflight(exchange) : undefined;
    if (preflight) return preflight;
    if (!found) return this.#nowhere(exchange);
    exchange.params = found.params;
    return found.place(exchange);
  }

  /** Whoever sends what is no request is limited as those are who have no key, even with one. */
  #refuse(exchange: Exchange, fault: Fault): never {
    // What follows on the connection cannot be told from the rest of the request, so that it ends there.
    Object.assign(exchange.headers, lastOfConnection);
    this.#countAnonymous(exchange);
    throw errorOfFault(fault);
  }

  #preflight(exchange: Exchange): HttpResponse | undefined {
    const preflight = this.#cors.preflight(exchange);
    if (!preflight) return undefined;
    // It cannot carry the key that the request after it may have.
    if (exchange.listener.isFull()) throw noRoom();
    this.#anonymousLimit?.count(exchange.clientAddress());
    return preflight;
  }

  /** Whose request it is, and whether it may make another one. Throws Unauthorized, TooManyRequests and ServiceUnavailable. */
  #admit(exchange: Exchange, next: (caller: Caller) => Awaitable<HttpResponse>): Awaitable<HttpResponse> {
    if (exchange.listener.isFull()) throw noRoom();
    const token = parseBearerToken(exchange.request.headers.get("authorization"));
    if (!token) this.#countAnonymous(exchange);
    const { authenticator, rateLimit } = this.parts;
    return mapAwaitable(authenticator.authenticate(token, exchange), (caller) => {
      exchange.caller = caller;
      exchange.request.peer.isTrusted = true;
      if (!rateLimit) return next(caller);
      return mapAwaitable(rateLimit.count(caller), (count) => {
        setRateLimitHeaders(exchange.headers, rateLimit.quota, count);
        return next(caller);
      });
    });
  }

  #send(exchange: Exchange, reply: HttpResponse, failure?: ServiceError<ErrorCode>): Awaitable<WireResponse> {
    if (!leavesBody(exchange.request)) return this.#respond(exchange, reply, failure);
    const unreadBodies = reply.status === 429 ? this.#unreadBodiesOfThrottled : this.#unreadBodies;
    const endsAnyway = this.#closes(exchange) || isLast(exchange, reply);
    return mapAwaitable(!endsAnyway && unreadBodies.receive(exchange), (isWhole) => {
      if (!isWhole) Object.assign(exchange.headers, lastOfConnection);
      return this.#respond(exchange, reply, failure);
    });
  }

  /** Whether the connection is closed after this response, as its client has to be told. */
  #closes({ caller, listener }: Exchange): boolean {
    // Without a key, nobody is to wait for room in places that are kept: for a body that does not come, or for others to be read.
    const isOneTooMany = caller === undefined && listener.isCrowded();
    return this.#isLeaving || listener.isReplaced() || isOneTooMany;
  }

  #respond(exchange: Exchange, reply: HttpResponse, failure: ServiceError<ErrorCode> | undefined): WireResponse {
    if (this.#closes(exchange)) Object.assign(exchange.headers, lastOfConnection);
    const { log, tracer, sendsServerTiming, slowRequestMs } = this.parts;
    const elapsed = () => performance.now() - exchange.start - exchange.idleMs;
    if (sendsServerTiming) exchange.headers["Server-Timing"] = serverTiming(exchange, elapsed());
    const bodyBytes = bodyBytesOf(reply);
    const response = toResponse(reply, bodyBytes, exchange);
    const elapsedMs = elapsed();
    const sentBytes = exchange.request.method === "HEAD" ? 0 : bodyBytes;
    this.#requestMetrics.record(exchange, reply.status, sentBytes, elapsedMs, failure);
    if (tracer) traceRequest(tracer, exchange, reply.status, elapsedMs);
    if (this.refusals.absorbs(exchange, reply.status, failure)) return response;
    logRequest(log, exchange, reply.status, elapsedMs, slowRequestMs, failure);
    return response;
  }

  #fail(exchange: Exchange, error: unknown): Awaitable<WireResponse> {
    const failure = toServiceError(error);
    Object.assign(exchange.headers, exchange.ofErrors);
    const accept = exchange.request.headers.get("accept");
    return this.#send(exchange, errorResponse(failure, accept, this.#addresses), failure);
  }

  *#operationPlaces(): Iterable<[string, Endpoint]> {
    const { store, clock, stopwatch, limits, bodyMemoryLimits = defaultBodyMemoryLimits, metrics } = this.parts;
    const pageCache = new PageCache(store.freshness);
    pageCache.measure(metrics);
    const bodyMemory = new BodyMemory(bodyMemoryLimits);
    const help = "What has come of incomplete request bodies beyond the first 64 KiB of each.";
    metrics.watch("gauge", "large_bodies_bytes", help, () => bodyMemory.bytes);
    const shared = {
      store,
      clock,
      stopwatch,
      addresses: this.#addresses,
      authenticator: this.parts.authenticator,
      idempotency: new Idempotency(clock),
      pageCache,
      readers: this.#readers,
      sharedReads: store.freshness ? undefined : new SharedReads(),
      webhooks: this.parts.webhooks,
      bodyMemory,
      limits: { ...defaultRouteLimits, ...limits },
    };
    for (const [path, operations] of Map.groupBy(this.parts.operations, ({ path }) => path)) {
      const routeFor = routeTable(operations, (operation) => routeOf(operation, shared), clock);
      const answer: Endpoint = (exchange) =>
        this.#admit(exchange, (caller) => routeFor(exchange.request.method)(exchange, caller));
      yield [basePath + path, answer];
    }
  }

  *#publicPlaces(): Iterable<[string, Endpoint]> {
    const { store, pages: files } = this.parts;
    const endpoints = serviceEndpoints(store, this.parts, () => this.#isLeaving);
    for (const [path, endpoint] of Object.entries(endpoints)) {
      const answer = ofPublic(endpoint);
      // Health checks must always be answered.
      yield [path, path.startsWith(basePath) ? this.#limited(answer) : answer];
    }
    const pages = new Map([
      ["/docs/errors", errorsEndpoint(files !== undefined)],
      ["/robots.txt", robotsEndpoint()],
    ]);
    for (const path in files) pages.set(path, fileEndpoint(files[path] as WebFile, path));
    if (files) pages.set("/docs", referenceEndpoint(this.parts, files));
    for (const [path, page] of pages) {
      yield [path, this.#limited(ofPublic(page))];
      if (isTyped(path)) yield [`${path}/`, this.#limited(ofPublic((exchange) => withoutSlash(exchange, path)))];
    }
  }

  *#metricsPlaces(): Iterable<[string, Endpoint]> {
    const { metrics, servesMetrics } = this.parts;
    if (!servesMetrics) return;
    const answer: Endpoint = (exchange) => {
      exchange.group = "metrics";
      return this.#admit(exchange, (caller) => {
        requireScope(caller, "read");
        requireRead(exchange.request);
        return metricsResponse(metrics);
      });
    };
    yield [metricsPath, answer];
  }

  readonly #nowhere: Endpoint = (exchange) => {
    const isOfInterface = isUnderBase(exchange);
    // A person who opens the base path of the API in a browser wants to know where to go.
    const page = isOfInterface && !isBase(exchange) ? undefined : this.#notFound(exchange.request);
    if (!page && isOfInterface) return this.#admit(exchange, nothingHere);
    this.#countAnonymous(exchange);
    if (page) return page;
    throw new HttpError("NotFound", `There is nothing at this path. The API is at ${basePath}.`);
  };

  #limited(place: Endpoint): Endpoint {
    return (exchange) => {
      this.#countAnonymous(exchange);
      return place(exchange);
    };
  }

  #countAnonymous(exchange: Exchange): void {
    if (exchange.listener.isCrowded()) throw noRoom();
    this.#anonymousLimit?.count(exchange.clientAddress());
  }
}

export const defaultMaxEventReaders = 100;

/** A place that needs no key, is counted as such, and can only be read. */
function ofPublic(place: Endpoint): Endpoint {
  return (exchange) => {
    exchange.group = "public";
    requireRead(exchange.request);
    return place(exchange);
  };
}

/** For all but health checks, which are answered even while the service is full. */
function noRoom(): HttpError {
  const message = "The service has too many requests in progress. Try again in a moment.";
  return new HttpError("ServiceUnavailable", message, lastOfConnection);
}

function isLast({ headers }: Exchange, reply: HttpResponse): boolean {
  return "Connection" in headers || "Connection" in reply.headers;
}

function isBase({ path }: Exchange): boolean {
  return path === basePath || path === `${basePath}/`;
}

function isUnderBase({ path }: Exchange): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

function nothingHere(): never {
  throw new HttpError("NotFound", "There is nothing at this path.");
}
