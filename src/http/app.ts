import { type Awaitable, whenThere } from "../domain/awaitable.ts";
import type { Stopwatch } from "../domain/clock.ts";
import { within } from "../domain/deadline.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Expectation } from "../domain/expectation.ts";
import type { Caller } from "../domain/key.ts";
import { basePath, type Context, isRepeatable, type Operation } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import { type Authenticator, requireScope } from "./authentication.ts";
import { type BodyLimits, bodyLimits } from "./body.ts";
import { ClientAddress } from "./client-address.ts";
import { expectationOf, isConditional } from "./conditional.ts";
import { Cors } from "./cors.ts";
import { deprecationHeaders, gone, isInService } from "./deprecation.ts";
import { errorReply, HttpError, toServiceError } from "./errors.ts";
import { Exchange } from "./exchange.ts";
import { Idempotency } from "./idempotency.ts";
import { InputReader } from "./input.ts";
import type { Log } from "./log.ts";
import { PageCache } from "./page-cache.ts";
import { type PageFiles, Pages } from "./pages.ts";
import { prefersStrict, strictApplied } from "./preferences.ts";
import { type Quota, RateLimit } from "./rate-limit.ts";
import { type Reply, toResponse } from "./reply.ts";
import { represent, unlessUnchanged } from "./representation.ts";
import { logRequest } from "./request-log.ts";
import { Router } from "./router.ts";
import { type DocumentSource, ServiceEndpoints } from "./service-endpoints.ts";
import { SharedReads } from "./shared-reads.ts";
import type { Values } from "./validation.ts";
import { vaultOf } from "./vault.ts";

export interface AppParts extends DocumentSource {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly stopwatch: Stopwatch;
  readonly log: Log;
  readonly limits?: Partial<AppLimits>;
  /** None unless configured. */
  readonly quota?: Quota | undefined;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  /** What browsers are shown, if that was built. */
  readonly pages?: PageFiles | undefined;
}

export interface AppLimits {
  readonly body: BodyLimits;
  /** How long an operation may take, once its input is there. */
  readonly milliseconds: number;
}

/** The service as a function from requests to responses, apart from the socket that they come through. */
export class App {
  readonly #router: Router;
  readonly #readers: ReadonlyMap<Operation, InputReader>;
  readonly #endpoints: ServiceEndpoints;
  readonly #limits: AppLimits;
  readonly #rateLimit: RateLimit | undefined;
  readonly #idempotency: Idempotency;
  readonly #clients: ClientAddress;
  readonly #cors: Cors;
  readonly #pageCache: PageCache;
  readonly #pages: Pages | undefined;
  readonly #sharedReads: SharedReads | undefined;
  #isLeaving = false;

  constructor(readonly parts: AppParts) {
    this.#limits = { body: bodyLimits, milliseconds: 15_000, ...parts.limits };
    this.#router = new Router(parts.operations);
    this.#readers = new Map(
      parts.operations.map((operation) => [operation, new InputReader(operation, this.#limits.body)]),
    );
    this.#endpoints = new ServiceEndpoints(parts.store, parts, () => this.#isLeaving);
    this.#rateLimit = parts.quota && new RateLimit(parts.quota, parts.stopwatch);
    this.#idempotency = new Idempotency(parts.store, parts.clock);
    this.#clients = new ClientAddress(parts.trustedProxies);
    this.#cors = new Cors(parts.corsOrigins);
    this.#pageCache = new PageCache(parts.store.freshness);
    this.#pages = parts.pages && new Pages(parts.pages);
    this.#sharedReads = parts.store.freshness ? undefined : new SharedReads();
  }

  /** From now on `/readyz` sends traffic elsewhere, and every answer ends its connection. */
  leave(): void {
    this.#isLeaving = true;
  }

  /** `peer` finds out the address at the other end of the connection. */
  fetch(request: Request, peer: () => string): Awaitable<Response> {
    const exchange = new Exchange(request, peer);
    try {
      const reply = this.#answer(exchange);
      if (!(reply instanceof Promise)) return this.#send(exchange, reply);
      return reply.then(
        (done) => this.#send(exchange, done),
        (error) => this.#fail(exchange, error),
      );
    } catch (error) {
      return this.#fail(exchange, error);
    }
  }

  #send(exchange: Exchange, reply: Reply, failure?: ServiceError): Response {
    if (this.#isLeaving) exchange.headers["Connection"] = "close";
    const response = toResponse(reply, exchange);
    logRequest(this.parts.log, exchange, reply.status, failure);
    return response;
  }

  #fail(exchange: Exchange, error: unknown): Response {
    const failure = toServiceError(error);
    return this.#send(exchange, errorReply(failure, exchange.request.headers.get("accept")), failure);
  }

  #answer(exchange: Exchange): Awaitable<Reply> {
    const { request, path } = exchange;
    const isOurs = path === basePath || path.startsWith(`${basePath}/`);
    if (isOurs) this.#cors.mark(exchange);
    const reply = this.#cors.preflight(exchange) ?? this.#endpoints.answer(request, path);
    if (reply) return reply;
    if (!isOurs) {
      const page = this.#pages?.answer(request, path);
      if (page) return page;
      throw new HttpError("NotFound", `There is nothing at this address. The interface is at ${basePath}.`);
    }
    const caller = this.parts.authenticator.authenticate(request.headers.get("authorization"), () => {
      exchange.client = this.#clients.of(request, exchange.peer());
      return exchange.client;
    });
    return whenThere(caller, (known) => this.#admit(exchange, known));
  }

  #admit(exchange: Exchange, caller: Caller): Awaitable<Reply> {
    exchange.caller = caller;
    this.#rateLimit?.count(caller, exchange.headers);
    const page = this.#pageCache.find(exchange) ?? this.#sharedReads?.find(exchange);
    if (!page) return this.#operate(exchange, caller);
    exchange.operation = page.operation;
    requireScope(caller, page.operation.scope);
    return whenThere(page.reply, (reply) => unlessUnchanged(reply, exchange.request));
  }

  #operate(exchange: Exchange, caller: Caller): Awaitable<Reply> {
    const { request, path, query } = exchange;
    const { operation, params } = this.#router.match(request.method, path.slice(basePath.length));
    exchange.operation = operation;
    if (operation.deprecated) Object.assign(exchange.headers, deprecationHeaders(operation, params));
    if (!isInService(operation, this.parts.clock)) throw gone(operation);
    requireScope(caller, operation.scope);
    const isAskedFor = prefersStrict(request.headers.get("prefer"));
    if (isAskedFor) Object.assign(exchange.headers, strictApplied);
    const before = operation.paged ? this.#pageCache.now() : undefined;
    return whenThere(
      this.#readerOf(operation).read(request, params, query, isAskedFor || operation.isStrict === true),
      (input) => {
        const answer = () =>
          whenThere(this.#inTime(this.#perform(exchange, operation, caller, input)), (result) => {
            const reply = represent(operation, input.query, result);
            this.#pageCache.keep(exchange, operation, reply, result, before);
            return reply;
          });
        const reply =
          operation.paged && this.#sharedReads ? this.#sharedReads.read(exchange, operation, answer) : answer();
        return operation.method === "GET" ? whenThere(reply, (done) => unlessUnchanged(done, request)) : reply;
      },
    );
  }

  #perform(exchange: Exchange, operation: Operation, caller: Caller, input: AnyInput): Awaitable<unknown> {
    const { request } = exchange;
    const context = { store: this.parts.store, clock: this.parts.clock, caller, vault: vaultOf(request) };
    if (operation.method === "GET") return operation.handle(input, context);
    if (!isRepeatable(operation)) return this.#change(request, operation, input, context);
    return this.#idempotency.run(exchange, operation, caller, input.body as Values, (store) =>
      operation.handle(input, { ...context, store }),
    );
  }

  async #change(request: Request, operation: Operation, input: AnyInput, context: Context): Promise<unknown> {
    let expected: Expectation<object>;
    if (operation.current && isConditional(request)) {
      const current = await operation.current(input, context);
      // What cannot be changed because it is not there is told so by the operation itself, if that is still so then.
      expected = current || operation.success.created ? expectationOf(request, current) : null;
    }
    return await operation.handle({ ...input, expected }, context);
  }

  #readerOf(operation: Operation): InputReader {
    const reader = this.#readers.get(operation);
    if (!reader) throw new Error(`${operation.id} has no reader for its input.`);
    return reader;
  }

  #inTime<Result>(result: Result | Promise<Result>): Result | Promise<Result> {
    if (!(result instanceof Promise)) return result;
    return within(this.#limits.milliseconds, result, () => {
      return new ServiceError(
        "ServiceUnavailable",
        "The store did not answer in time. Whether it did what was asked is not known.",
      );
    });
  }
}

type AnyInput = Awaited<ReturnType<InputReader["read"]>>;
