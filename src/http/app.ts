import type { Quota, QuotaCount, RateLimit } from "../access/rate-limit.ts";
import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import { type ServiceError, Throttled } from "../domain/errors.ts";
import type { Caller } from "../domain/key.ts";
import { EventReaders } from "../feed/readers.ts";
import type { Log } from "../log/log.ts";
import type { Registry } from "../metrics/registry.ts";
import type { ErrorCode } from "../operations/errors.ts";
import { basePath } from "../operations/operation.ts";
import type { Tracer } from "../tracing/tracer.ts";
import type { WireRequest, WireResponse } from "../wire/message.ts";
import { AddressLimit } from "./access/address-limit.ts";
import { requireScope } from "./access/authentication.ts";
import { Cors } from "./access/cors.ts";
import { EndpointTable } from "./endpoint-table.ts";
import { Exchange, type Listener } from "./exchange.ts";
import { connectionClose, HttpError } from "./http-error.ts";
import { Idempotency } from "./idempotency.ts";
import { PageCache } from "./lists/page-cache.ts";
import { SharedReads } from "./lists/shared-reads.ts";
import { createMetricsResponse, metricsPath } from "./monitoring/metrics-endpoint.ts";
import { RefusalLog } from "./monitoring/refusal-log.ts";
import { logRequest } from "./monitoring/request-log.ts";
import { RequestMetrics } from "./monitoring/request-metrics.ts";
import { traceRequest } from "./monitoring/request-trace.ts";
import { formatServerTiming } from "./monitoring/timing.ts";
import type { DocumentSource } from "./public/document.ts";
import {
  createErrorsEndpoint,
  createNotFoundResponder,
  createReferenceEndpoint,
  createRobotsEndpoint,
} from "./public/html-pages.ts";
import { createServiceEndpoints, healthPaths, measureReadiness } from "./public/service-endpoints.ts";
import {
  createFileEndpoint,
  isHtmlPagePath,
  redirectWithoutSlash,
  type WebFile,
  type WebFiles,
} from "./public/web-files.ts";
import { BodyMemory, type BodyMemoryLimits, defaultBodyMemoryLimits } from "./request/body-memory.ts";
import { ClientAddressFinder } from "./request/client-address.ts";
import { defaultUnreadBodyLimits, UnreadBodies, type UnreadBodyLimits } from "./request/unread-body.ts";
import { createErrorResponse, createFaultError, toServiceError } from "./response/errors.ts";
import { countBodyBytes, type HttpResponse, toWireResponse } from "./response/http-response.ts";
import { UrlBuilder } from "./response/url-builder.ts";
import { defaultRouteLimits, type Endpoint, type RouteLimits, type RouteParts } from "./route-parts.ts";
import { createRouteTable, requireReadMethod } from "./router.ts";

export interface AppParts
  extends DocumentSource,
    Pick<RouteParts, "store" | "stopwatch" | "authenticator" | "webhooks"> {
  readonly log: Log;
  readonly metrics: Registry;
  readonly tracer?: Tracer | undefined;
  /** True if `/metrics` is served to callers with a key, because metrics have no port of their own. */
  readonly servesMetrics: boolean;
  readonly sendsServerTiming?: boolean;
  readonly slowRequestMs?: number | undefined;
  readonly limits?: Partial<RouteLimits>;
  readonly unreadBodyLimits?: Partial<UnreadBodyLimits>;
  readonly bodyMemoryLimits?: BodyMemoryLimits;
  readonly maxEventReaders?: number | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly anonymousQuota?: Quota | undefined;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  /** The base path under which clients find the API, if a proxy adds a prefix to the path. */
  readonly publicPath?: string | undefined;
  readonly pages?: WebFiles | undefined;
}

/** The service, independent of sockets. A request passes through `handle`, its endpoint, `#admit`, and the route of its operation. */
export class App {
  readonly #endpoints: EndpointTable;
  readonly #anonymousLimit: AddressLimit | undefined;
  readonly #urls: UrlBuilder;
  readonly #clients: ClientAddressFinder;
  readonly #cors: Cors | undefined;
  readonly #createNotFoundResponse: (request: WireRequest) => HttpResponse | undefined;
  readonly #requestMetrics: RequestMetrics;
  readonly refusals: RefusalLog;
  readonly #readers: EventReaders;
  readonly #unreadBodies: UnreadBodies;
  /** Counted separately, so that throttled clients cannot use up the slots for the bodies of other clients. */
  readonly #unreadBodiesOfThrottled: UnreadBodies;
  #isDraining = false;

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
    this.#urls = new UrlBuilder(parts.publicPath ?? basePath, clock);
    this.#clients = new ClientAddressFinder(parts.trustedProxies);
    this.#cors = parts.corsOrigins.length > 0 ? new Cors(parts.corsOrigins) : undefined;
    this.#createNotFoundResponse = createNotFoundResponder(parts.pages !== undefined);
    this.#requestMetrics = new RequestMetrics(parts.metrics);
    this.refusals = new RefusalLog(parts.log);
    this.#readers = new EventReaders(parts.metrics, parts.maxEventReaders ?? defaultMaxEventReaders);
    const unreadLimits = { ...defaultUnreadBodyLimits, ...parts.unreadBodyLimits };
    this.#unreadBodies = new UnreadBodies(unreadLimits);
    this.#unreadBodiesOfThrottled = new UnreadBodies({ ...unreadLimits, timeoutMs: unreadLimits.throttledTimeoutMs });
    measureReadiness(parts.metrics, parts.store);
    this.#endpoints = new EndpointTable([...this.#publicEndpoints(), ...this.#operationEndpoints()]);
  }

  /** Makes `/readyz` fail, so that load balancers send traffic elsewhere, and makes each response close its connection. */
  startDraining(): void {
    this.#isDraining = true;
    this.#readers.startDraining();
  }

  handle(request: WireRequest, listener: Listener): Awaitable<WireResponse> {
    const exchange = new Exchange(request, listener, this.#clients);
    request.peer.isTrusted = false;
    try {
      const response = this.#dispatch(exchange);
      if (!(response instanceof Promise)) return this.#send(exchange, response);
      return response.then(
        (resolved) => this.#send(exchange, resolved),
        (error) => this.#fail(exchange, error),
      );
    } catch (error) {
      return this.#fail(exchange, error);
    }
  }

  #dispatch(exchange: Exchange): Awaitable<HttpResponse> {
    const { fault } = exchange.request;
    const match = this.#endpoints.find(exchange.path);
    exchange.isKnownPath = match !== undefined;
    this.#cors?.setHeaders(exchange);
    if (fault) {
      // The end of a malformed request is unknown, so no later request on its connection can be read.
      Object.assign(exchange.headers, connectionClose);
      this.#countAnonymous(exchange);
      throw createFaultError(fault);
    }
    const preflight = this.#cors?.respondToPreflight(exchange);
    if (preflight) {
      // A preflight request has no key, but the request after it may have one, so `isFullForAnonymous` does not apply.
      if (exchange.listener.isFull()) throw createOverloadedError();
      this.#anonymousLimit?.count(exchange.clientAddress());
      return preflight;
    }
    if (!match) return this.#respondNotFound(exchange);
    exchange.params = match.params;
    return match.endpoint(exchange);
  }

  #admit(exchange: Exchange, next: (caller: Caller) => Awaitable<HttpResponse>): Awaitable<HttpResponse> {
    if (exchange.listener.isFull()) throw createOverloadedError();
    if (!exchange.token) this.#countAnonymous(exchange);
    const { authenticator, rateLimit } = this.parts;
    return mapAwaitable(authenticator.authenticate(exchange), (caller) => {
      exchange.caller = caller;
      exchange.request.peer.isTrusted = true;
      if (!rateLimit) return next(caller);
      return mapAwaitable(rateLimit.count(caller), (count) => {
        setRateLimitHeaders(exchange.headers, rateLimit.quota, count);
        return next(caller);
      });
    });
  }

  #send(exchange: Exchange, response: HttpResponse, failure?: ServiceError<ErrorCode>): Awaitable<WireResponse> {
    if (exchange.request.body.isComplete) return this.#respond(exchange, response, failure);
    const unreadBodies = response.status === 429 ? this.#unreadBodiesOfThrottled : this.#unreadBodies;
    const closesAnyway =
      this.#shouldClose(exchange) || "Connection" in exchange.headers || "Connection" in response.headers;
    return mapAwaitable(!closesAnyway && unreadBodies.receive(exchange), (isComplete) => {
      if (!isComplete) Object.assign(exchange.headers, connectionClose);
      return this.#respond(exchange, response, failure);
    });
  }

  #shouldClose({ caller, listener }: Exchange): boolean {
    return this.#isDraining || listener.isReplaced() || (caller === undefined && listener.isFullForAnonymous());
  }

  #respond(exchange: Exchange, response: HttpResponse, failure: ServiceError<ErrorCode> | undefined): WireResponse {
    if (this.#shouldClose(exchange)) Object.assign(exchange.headers, connectionClose);
    const { log, tracer, sendsServerTiming, slowRequestMs } = this.parts;
    const { status } = response;
    if (sendsServerTiming) exchange.headers["Server-Timing"] = formatServerTiming(exchange);
    const bodyBytes = countBodyBytes(response);
    const wireResponse = toWireResponse(response, bodyBytes, exchange);
    const elapsedMs = exchange.elapsedMs;
    const sentBytes = exchange.request.method === "HEAD" ? 0 : bodyBytes;
    this.#requestMetrics.record(exchange, status, sentBytes, elapsedMs, failure);
    if (tracer) traceRequest(tracer, exchange, status, elapsedMs);
    if (!this.refusals.countIfRepeated(exchange, status, failure)) {
      logRequest(log, exchange, status, elapsedMs, slowRequestMs, failure);
    }
    return wireResponse;
  }

  #fail(exchange: Exchange, error: unknown): Awaitable<WireResponse> {
    const failure = toServiceError(error);
    Object.assign(exchange.headers, exchange.errorHeaders);
    const accept = exchange.request.headers.get("accept");
    return this.#send(exchange, createErrorResponse(failure, accept, this.#urls), failure);
  }

  *#operationEndpoints(): Iterable<[string, Endpoint]> {
    const { store, clock, metrics } = this.parts;
    const pageCache = new PageCache(store.freshness);
    pageCache.registerMetrics(metrics);
    const bodyMemory = new BodyMemory(this.parts.bodyMemoryLimits ?? defaultBodyMemoryLimits);
    const help = "Bytes received of incomplete request bodies beyond the first 64 KiB of each.";
    metrics.watch("gauge", "large_bodies_bytes", help, () => bodyMemory.bytes);
    const routeParts: RouteParts = {
      ...this.parts,
      urls: this.#urls,
      idempotency: new Idempotency(clock),
      pageCache,
      readers: this.#readers,
      sharedReads: store.freshness ? undefined : new SharedReads(),
      bodyMemory,
      limits: { ...defaultRouteLimits, ...this.parts.limits },
    };
    for (const [path, operations] of Map.groupBy(this.parts.operations, ({ path }) => path)) {
      const findRoute = createRouteTable(operations, routeParts);
      const endpoint: Endpoint = (exchange) =>
        this.#admit(exchange, (caller) => findRoute(exchange.request.method)(exchange, caller));
      yield [basePath + path, endpoint];
    }
    if (this.parts.servesMetrics) yield [metricsPath, (exchange) => this.#respondWithMetrics(exchange)];
  }

  *#publicEndpoints(): Iterable<[string, Endpoint]> {
    const { store, pages: files } = this.parts;
    const endpoints: Record<string, Endpoint> = {
      ...createServiceEndpoints(store, this.parts, () => this.#isDraining),
      "/docs/errors": createErrorsEndpoint(files !== undefined),
      "/robots.txt": createRobotsEndpoint(),
    };
    for (const path in files) endpoints[path] = createFileEndpoint(files[path] as WebFile, path);
    if (files) endpoints["/docs"] = createReferenceEndpoint(this.parts, files);
    for (const path of ["/docs/errors", ...(files ? ["/docs", ...Object.keys(files)] : [])]) {
      if (isHtmlPagePath(path)) endpoints[`${path}/`] = (exchange) => redirectWithoutSlash(exchange, path);
    }
    for (const [path, endpoint] of Object.entries(endpoints)) {
      const isLimited = !healthPaths.some((prefix) => path.startsWith(prefix));
      yield [
        path,
        (exchange) => {
          if (isLimited) this.#countAnonymous(exchange);
          exchange.group = "public";
          requireReadMethod(exchange.request);
          return endpoint(exchange);
        },
      ];
    }
  }

  #respondWithMetrics(exchange: Exchange): Awaitable<HttpResponse> {
    exchange.group = "metrics";
    return this.#admit(exchange, (caller) => {
      requireScope(caller, "read");
      requireReadMethod(exchange.request);
      return createMetricsResponse(this.parts.metrics);
    });
  }

  #respondNotFound(exchange: Exchange): Awaitable<HttpResponse> {
    const { path, request } = exchange;
    const isBase = path === basePath || path === `${basePath}/`;
    const isInApi = isBase || path.startsWith(`${basePath}/`);
    // A browser that opens the base path of the API gets the not-found page, too, because that page links to the documentation.
    const page = isInApi && !isBase ? undefined : this.#createNotFoundResponse(request);
    if (!page && isInApi) {
      return this.#admit(exchange, () => {
        throw new HttpError("NotFound", "There is nothing at this path.");
      });
    }
    this.#countAnonymous(exchange);
    if (page) return page;
    throw new HttpError("NotFound", `There is nothing at this path. The API is at ${basePath}.`);
  }

  #countAnonymous(exchange: Exchange): void {
    if (exchange.listener.isFullForAnonymous()) throw createOverloadedError();
    this.#anonymousLimit?.count(exchange.clientAddress());
  }
}

export const defaultMaxEventReaders = 100;

function createOverloadedError(): HttpError {
  const message = "The service has too many requests in progress. Try again in a moment.";
  return new HttpError("ServiceUnavailable", message, connectionClose);
}

/** Sets the headers of draft-ietf-httpapi-ratelimit-headers, in whole seconds. Throws TooManyRequests if the quota is used up. */
function setRateLimitHeaders(
  headers: Record<string, string>,
  { requests, seconds }: Quota,
  { isRefused, remaining, resetsInMs }: QuotaCount,
): void {
  const waitSeconds = Math.max(1, Math.ceil(resetsInMs / 1000));
  headers["RateLimit-Policy"] = `"default";q=${requests};w=${seconds}`;
  headers["RateLimit"] = `"default";r=${remaining};t=${waitSeconds}`;
  if (!isRefused) return;
  const span = seconds === 1 ? "second" : `${seconds} seconds`;
  const message = `This key may make ${requests} requests per ${span}. Wait before the next one.`;
  throw new Throttled("quota", message, waitSeconds);
}
