import { within } from "../domain/deadline.ts";
import { ServiceError } from "../domain/errors.ts";
import { basePath, type Context, type Operation } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import { parseAddress } from "./address.ts";
import { type Authenticator, type Caller, requireScope } from "./authentication.ts";
import { type BodyLimits, bodyLimits } from "./body.ts";
import { deprecationHeaders, gone, isInService } from "./deprecation.ts";
import { errorReply, HttpError, toServiceError } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { InputReader } from "./input.ts";
import type { Log } from "./log.ts";
import { prefersStrict, strictApplied } from "./preferences.ts";
import { type Reply, toResponse } from "./reply.ts";
import { represent } from "./representation.ts";
import { requestIdOf } from "./request-id.ts";
import { logRequest } from "./request-log.ts";
import { Router } from "./router.ts";
import { type DocumentSource, ServiceEndpoints } from "./service-endpoints.ts";

export interface AppParts extends DocumentSource {
  readonly store: Store;
  readonly authenticator: Authenticator;
  readonly log: Log;
  readonly limits?: Partial<AppLimits>;
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
  readonly #context: Context;
  #isLeaving = false;

  constructor(readonly parts: AppParts) {
    this.#limits = { body: bodyLimits, milliseconds: 15_000, ...parts.limits };
    this.#router = new Router(parts.operations);
    this.#readers = new Map(
      parts.operations.map((operation) => [operation, new InputReader(operation, this.#limits.body)]),
    );
    this.#endpoints = new ServiceEndpoints(parts.store, parts, () => this.#isLeaving);
    this.#context = { store: parts.store };
  }

  /** From now on `/readyz` sends traffic elsewhere, and every answer ends its connection. */
  leave(): void {
    this.#isLeaving = true;
  }

  async fetch(request: Request): Promise<Response> {
    const start = performance.now();
    const exchange: Exchange = { request, id: requestIdOf(request), ...parseAddress(request.url), headers: {} };
    let reply: Reply;
    let failure: ServiceError | undefined;
    try {
      reply = await this.#answer(exchange);
    } catch (error) {
      failure = toServiceError(error);
      reply = errorReply(failure, request.headers.get("accept"));
    }
    if (this.#isLeaving) exchange.headers["Connection"] = "close";
    const response = toResponse({ ...reply, headers: { ...exchange.headers, ...reply.headers } }, exchange.id);
    logRequest(this.parts.log, exchange, reply.status, performance.now() - start, failure);
    return response;
  }

  async #answer(exchange: Exchange): Promise<Reply> {
    const { request, path } = exchange;
    const reply = this.#endpoints.answer(request, path);
    if (reply) return reply;
    if (path !== basePath && !path.startsWith(`${basePath}/`)) {
      throw new HttpError("NotFound", `There is nothing at this address. The interface is at ${basePath}.`);
    }
    exchange.caller = await this.parts.authenticator.authenticate(request.headers.get("authorization"));
    return this.#operate(exchange, exchange.caller);
  }

  async #operate(exchange: Exchange, caller: Caller): Promise<Reply> {
    const { request, path, query } = exchange;
    const { operation, params } = this.#router.match(request.method, path.slice(basePath.length));
    exchange.operation = operation;
    Object.assign(exchange.headers, deprecationHeaders(operation, params));
    if (!isInService(operation, this.parts.clock)) throw gone(operation);
    requireScope(caller, operation.scope);
    const strict = prefersStrict(request.headers.get("prefer"));
    if (strict) Object.assign(exchange.headers, strictApplied);
    const input = await this.#readerOf(operation).read(request, params, query, strict);
    const result = await this.#inTime(operation.handle(input, this.#context));
    return represent(operation, input.query, result, request);
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
