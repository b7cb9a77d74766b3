import { type Awaitable, whenThere } from "../domain/awaitable.ts";
import type { Stopwatch } from "../domain/clock.ts";
import { within } from "../domain/deadline.ts";
import { ServiceError } from "../domain/errors.ts";
import { changedMeanwhile, type Expectation } from "../domain/expectation.ts";
import type { Caller } from "../domain/key.ts";
import { basePath, type Context, isRepeatable, type Operation } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import { AddressLimit } from "./address-limit.ts";
import { Addresses } from "./addresses.ts";
import { type Authenticator, requireScope } from "./authentication.ts";
import { type BodyLimits, bodyLimits } from "./body.ts";
import { ClientAddress } from "./client-address.ts";
import { expectationOf, isConditional, isExpected } from "./conditional.ts";
import { Cors } from "./cors.ts";
import { deprecationHeaders, gone, isInService } from "./deprecation.ts";
import { errorReply, HttpError, toServiceError } from "./errors.ts";
import { type Connection, Exchange, type RoutedRequest } from "./exchange.ts";
import { requireNotAbandoned, requireSoundFraming } from "./framing.ts";
import { Idempotency } from "./idempotency.ts";
import { InputReader } from "./input.ts";
import type { Log } from "./log.ts";
import { PageCache } from "./page-cache.ts";
import { type PageFiles, Pages } from "./pages.ts";
import { prefersStrict, strictApplied } from "./preferences.ts";
import { type Quota, RateLimit } from "./rate-limit.ts";
import { type Reply, toResponse } from "./reply.ts";
import { onCondition, represent } from "./representation.ts";
import { logRequest } from "./request-log.ts";
import { type Methods, operationFor, operationsByPath } from "./router.ts";
import { type DocumentSource, ServiceEndpoints } from "./service-endpoints.ts";
import { SharedReads } from "./shared-reads.ts";
import { tokenOf } from "./token.ts";
import type { Values } from "./validation.ts";
import { noVault } from "./vault.ts";
import { WrittenPages } from "./written-pages.ts";

export interface AppParts extends DocumentSource {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly stopwatch: Stopwatch;
  readonly log: Log;
  readonly limits?: Partial<AppLimits>;
  /** None unless configured. */
  readonly quota?: Quota | undefined;
  /** How many requests without a key may come from one address. */
  readonly anonymousQuota?: Quota | undefined;
  readonly trustedProxies: readonly string[];
  readonly corsOrigins: readonly string[];
  /** The path under which clients find the interface, if a proxy puts something before it. */
  readonly publicPath?: string | undefined;
  /** What browsers are shown, if that was built. */
  readonly pages?: PageFiles | undefined;
}

export interface AppLimits {
  readonly body: BodyLimits;
  /** How long an operation may take, once its input is there. */
  readonly milliseconds: number;
}

/** What answers at one path. */
export type Place = (exchange: Exchange) => Awaitable<Reply>;

/** The service as a function from requests to responses, apart from the socket that they come through. */
export class App {
  /** Every path at which there is something, in the notation of the runtime's router. */
  readonly places: ReadonlyMap<string, Place>;
  readonly #readers: ReadonlyMap<Operation, InputReader>;
  readonly #endpoints: ServiceEndpoints;
  readonly #limits: AppLimits;
  readonly #rateLimit: RateLimit | undefined;
  readonly #anonymousLimit: AddressLimit | undefined;
  readonly #addresses: Addresses;
  readonly #idempotency: Idempotency;
  readonly #clients: ClientAddress;
  readonly #cors: Cors;
  readonly #pageCache: PageCache;
  readonly #pages: Pages | undefined;
  readonly #writtenPages: WrittenPages;
  readonly #sharedReads: SharedReads | undefined;
  #isLeaving = false;

  constructor(readonly parts: AppParts) {
    this.#limits = { body: bodyLimits, milliseconds: 15_000, ...parts.limits };
    this.#readers = new Map(
      parts.operations.map((operation) => [operation, new InputReader(operation, this.#limits.body)]),
    );
    this.#endpoints = new ServiceEndpoints(parts.store, parts, () => this.#isLeaving);
    this.#rateLimit = parts.quota && new RateLimit(parts.quota, parts.stopwatch);
    this.#anonymousLimit =
      parts.anonymousQuota &&
      new AddressLimit(
        parts.anonymousQuota,
        parts.stopwatch,
        "Too many requests without an API key were sent from this address. Wait before the next one.",
      );
    this.#addresses = new Addresses(parts.publicPath ?? basePath, parts.clock);
    this.#idempotency = new Idempotency(parts.store, parts.clock);
    this.#clients = new ClientAddress(parts.trustedProxies);
    this.#cors = new Cors(parts.corsOrigins);
    this.#pageCache = new PageCache(parts.store.freshness);
    this.#pages = parts.pages && new Pages(parts.pages);
    this.#writtenPages = new WrittenPages(parts.pages !== undefined);
    this.#sharedReads = parts.store.freshness ? undefined : new SharedReads();
    this.places = new Map([...this.#publicPlaces(), ...this.#operationPlaces()]);
  }

  /** From now on `/readyz` sends traffic elsewhere, and every answer ends its connection. */
  leave(): void {
    this.#isLeaving = true;
  }

  /** Without a place, there is nothing at the path. */
  fetch(request: RoutedRequest, connection: Connection, place: Place = this.#nowhere): Awaitable<Response> {
    const exchange = new Exchange(request, connection);
    try {
      const reply = this.#answer(exchange, place);
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
    // The runtime dates every response but those to HEAD.
    if (exchange.request.method === "HEAD") exchange.headers["Date"] = new Date().toUTCString();
    const response = toResponse(reply, exchange);
    logRequest(this.parts.log, exchange, reply.status, failure);
    return response;
  }

  #fail(exchange: Exchange, error: unknown): Response {
    const failure = toServiceError(error);
    return this.#send(
      exchange,
      errorReply(failure, exchange.request.headers.get("accept"), (code) => this.#addresses.ofError(code)),
      failure,
    );
  }

  #answer(exchange: Exchange, place: Place): Awaitable<Reply> {
    requireSoundFraming(exchange.request);
    if (isUnderBase(exchange)) this.#cors.mark(exchange);
    const preflight = this.#cors.preflight(exchange);
    if (!preflight) return place(exchange);
    this.#countAnonymous(exchange);
    return preflight;
  }

  *#publicPlaces(): Iterable<[string, Place]> {
    for (const path of this.#endpoints.paths) {
      const answer: Place = ({ request }) => this.#endpoints.answer(request, path);
      // Whoever asks whether the service is well must always be told.
      yield [path, path.startsWith(basePath) ? this.#limited(answer) : answer];
    }
    for (const pages of [this.#writtenPages, this.#pages]) {
      if (!pages) continue;
      for (const path of pages.paths) yield [path, this.#limited(({ request }) => pages.answer(request, path))];
    }
  }

  #limited(place: Place): Place {
    return (exchange) => {
      this.#countAnonymous(exchange);
      return place(exchange);
    };
  }

  *#operationPlaces(): Iterable<[string, Place]> {
    for (const [path, methods] of operationsByPath(this.parts.operations)) {
      const answer: Place = (exchange) =>
        this.#admit(exchange, (caller) => this.#answerByPage(exchange, caller, methods));
      yield [basePath + path, answer];
    }
  }

  readonly #nowhere: Place = (exchange) => {
    if (isUnderBase(exchange)) return this.#admit(exchange, nothingHere);
    this.#countAnonymous(exchange);
    const page = this.#writtenPages.notFound(exchange.request);
    if (page) return page;
    throw new HttpError("NotFound", `There is nothing at this address. The interface is at ${basePath}.`);
  };

  #admit(exchange: Exchange, next: (caller: Caller) => Awaitable<Reply>): Awaitable<Reply> {
    requireRoom(exchange);
    const token = tokenOf(exchange.request.headers.get("authorization"));
    if (!token) this.#countAnonymous(exchange);
    const caller = this.parts.authenticator.authenticate(token, () => this.#addressOf(exchange));
    return whenThere(caller, (known) => {
      exchange.caller = known;
      this.#rateLimit?.count(known, exchange.headers);
      return next(known);
    });
  }

  #countAnonymous(exchange: Exchange): void {
    requireRoom(exchange);
    this.#anonymousLimit?.count(this.#addressOf(exchange));
  }

  #addressOf(exchange: Exchange): string {
    exchange.client ??= this.#clients.of(exchange.request, exchange.connection.peer());
    return exchange.client;
  }

  #answerByPage(exchange: Exchange, caller: Caller, methods: Methods): Awaitable<Reply> {
    const page = this.#pageCache.find(exchange) ?? this.#sharedReads?.find(exchange);
    if (!page) return this.#operate(exchange, caller, methods);
    exchange.operation = page.operation;
    requireScope(caller, page.operation.scope);
    return whenThere(page.reply, (reply) => onCondition(reply, exchange.request));
  }

  #operate(exchange: Exchange, caller: Caller, methods: Methods): Awaitable<Reply> {
    const { request, query } = exchange;
    const operation = operationFor(request.method, methods, this.#isInService);
    const params = operation.params && request.params ? request.params : {};
    exchange.operation = operation;
    const { deprecated } = operation;
    if (deprecated) {
      Object.assign(exchange.headers, deprecationHeaders(deprecated, this.#addresses.successorOf(operation, params)));
    }
    if (!this.#isInService(operation)) throw gone(operation, this.#addresses.base);
    requireScope(caller, operation.scope);
    const isAskedFor = prefersStrict(request.headers.get("prefer"));
    if (isAskedFor) Object.assign(exchange.headers, strictApplied);
    const before = operation.paged ? this.#pageCache.now() : undefined;
    return whenThere(
      this.#readerOf(operation).read(request, params, query, isAskedFor || operation.isStrict === true),
      (input) => {
        const answer = () =>
          whenThere(this.#inTime(this.#perform(exchange, operation, caller, input)), (result) => {
            const reply = represent(operation, input, result, this.#addresses);
            this.#pageCache.keep(exchange, operation, reply, result, before);
            return reply;
          });
        const reply =
          operation.paged && this.#sharedReads ? this.#sharedReads.read(exchange, operation, answer) : answer();
        return operation.method === "GET" ? whenThere(reply, (done) => onCondition(done, request)) : reply;
      },
    );
  }

  #perform(exchange: Exchange, operation: Operation, caller: Caller, input: AnyInput): Awaitable<unknown> {
    const { request } = exchange;
    const context = { store: this.parts.store, clock: this.parts.clock, caller, vault: noVault };
    if (operation.method === "GET") return operation.handle(input, context);
    return requireNotAbandoned(request).then(async () => {
      const expected = isConditional(request) ? await this.#expectation(request, operation, input, context) : undefined;
      const handle = (store: Store, vault = context.vault) =>
        operation.handle({ ...input, expected }, { ...context, store, vault });
      if (!isRepeatable(operation)) return await handle(this.parts.store);
      return await this.#idempotency.run(exchange, operation, caller, input.body as Values, handle);
    });
  }

  /** What must be there for a write to be made. Throws PreconditionFailed where nothing that is there could be compared. */
  async #expectation(
    request: Request,
    operation: Operation,
    input: AnyInput,
    context: Context,
  ): Promise<Expectation<object>> {
    const { current } = operation;
    if (!current) {
      if (isExpected(request.headers.get("if-match"), "")) return undefined;
      throw changedMeanwhile();
    }
    const there = await current.read(input, context);
    // What cannot be changed because it is not there is told so by the operation itself, if that is still so then.
    if (!there && !operation.success.created) return null;
    return expectationOf(request, there, (thing) => (current.show ? current.show(thing, context) : thing));
  }

  readonly #isInService = (operation: Operation) => isInService(operation, this.parts.clock);

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

/** Whoever asks whether the service is well is told also while it has more to do than it takes. Throws ServiceUnavailable. */
function requireRoom({ connection }: Exchange): void {
  if (!connection.isOneTooMany()) return;
  const message = "The service has too many requests under way. Try again in a moment.";
  throw new HttpError("ServiceUnavailable", message, { Connection: "close" });
}

function isUnderBase({ path }: Exchange): boolean {
  return path === basePath || path.startsWith(`${basePath}/`);
}

function nothingHere(): never {
  throw new HttpError("NotFound", "There is nothing at this address.");
}

type AnyInput = Awaited<ReturnType<InputReader["read"]>>;
