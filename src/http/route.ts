import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import { withDeadline } from "../base/deadline.ts";
import { ServiceError } from "../domain/errors.ts";
import { type Expectation, preconditionFailed } from "../domain/expectation.ts";
import type { Caller } from "../domain/key.ts";
import { type Context, noVault, type Operation, takesIdempotencyKey, type Vault } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import type { WireRequest } from "../wire/message.ts";
import { requireScope } from "./access/authentication.ts";
import type { Exchange } from "./exchange.ts";
import { createExportRoute } from "./export-route.ts";
import { createFeedRoute } from "./feed-route.ts";
import { HttpError } from "./http-error.ts";
import { parseIdempotencyKey } from "./idempotency.ts";
import { type AnyInput, InputReader } from "./request/input.ts";
import { applyStrictPreference } from "./request/preferences.ts";
import { evaluatePreconditions, isConditional } from "./response/conditional.ts";
import { createDeprecationAnnouncer } from "./response/deprecation.ts";
import type { HttpResponse } from "./response/http-response.ts";
import { applyConditions, createRepresentation } from "./response/representation.ts";
import { createReadContext, type Route, type RouteLimits, type RouteParts } from "./route-parts.ts";

/** Composes an operation's route from its definition, once for all requests: deprecation, scope, input, handler, representation. */
export function composeRoute(operation: Operation, parts: RouteParts): Route {
  const { scope, isFeed, isExport, method } = operation;
  const createPlainRoute = method === "GET" ? createReadRoute : createWriteRoute;
  const createRoute = isFeed ? createFeedRoute : isExport ? createExportRoute : createPlainRoute;
  const route = createRoute(operation, parts);
  const announce = createDeprecationAnnouncer(operation, parts.urls, parts.clock);
  return (exchange, caller) => {
    exchange.operation = operation;
    announce?.(exchange);
    requireScope(caller, scope);
    return route(exchange, caller);
  };
}

function createReadRoute(operation: Operation, parts: RouteParts): Route {
  const { limits } = parts;
  const reader = new InputReader(operation, limits.body);
  const represent = createRepresentation(operation, parts.urls);
  const read = (exchange: Exchange, caller: Caller, isStrict: boolean): Awaitable<HttpResponse> => {
    const input = reader.read(exchange, isStrict);
    const context = createReadContext(parts, caller);
    exchange.storeStartedAt = performance.now();
    let result: ReturnType<Operation["handle"]>;
    try {
      result = operation.handle(input, context);
    } finally {
      exchange.storeMs = performance.now() - exchange.storeStartedAt;
    }
    if (!(result instanceof Promise)) return represent(input, result);
    return measureStoreTime(exchange, withTimeout(limits, result)).then((value) => represent(input, value));
  };
  const readPage = reusePages(operation, (exchange, caller) => read(exchange, caller, operation.isStrict), parts);
  return (exchange, caller) => {
    const { request } = exchange;
    const prefer = request.headers.get("prefer");
    const response =
      prefer === null
        ? readPage(exchange, caller)
        : read(exchange, caller, applyStrictPreference(exchange, prefer) || operation.isStrict);
    return isConditional(request) ? mapAwaitable(response, (resolved) => applyConditions(resolved, request)) : response;
  };
}

/** Uses the page cache; if the store cannot tell whether a page is fresh, concurrent requests for the page share one read instead. */
function reusePages({ isPaged, isNewestLast }: Operation, read: Route, { pageCache, sharedReads }: RouteParts): Route {
  if (isPaged && sharedReads)
    return (exchange, caller) => sharedReads.read(exchange.target, exchange, () => read(exchange, caller));
  return isNewestLast ? (exchange, caller) => pageCache.read(exchange.target, () => read(exchange, caller)) : read;
}

function createWriteRoute(operation: Operation, parts: RouteParts): Route {
  const { store, clock, stopwatch, authenticator, idempotency, webhooks, limits } = parts;
  const reader = new InputReader(operation, limits.body, parts.bodyMemory);
  const represent = createRepresentation(operation, parts.urls);
  const perform = async (exchange: Exchange, caller: Caller, input: AnyInput): Promise<unknown> => {
    const { request, id } = exchange;
    // A write whose client has disconnected is not started, because the client could not learn the result.
    if (request.peer.isClosed) throw new HttpError("BadRequest", "The connection was closed. Nothing was changed.");
    const actor = { id: caller.key === "environment" ? null : caller.key, name: caller.name };
    const actorStore = store.withOrigin({ actor, request: id, at: clock() }, exchange);
    const context = { store: actorStore, clock, caller, vault: noVault, webhooks };
    const expected = isConditional(request) ? await readExpected(request, operation, input, context) : undefined;
    const conditionalInput = expected === undefined ? input : { ...input, expected };
    const handle = (store: Store, vault: Vault) => {
      exchange.storeStartedAt = performance.now();
      return operation.handle(conditionalInput, { ...context, store, vault });
    };
    const key = takesIdempotencyKey(operation) ? parseIdempotencyKey(request) : undefined;
    if (key === undefined) return await handle(actorStore, noVault);
    return await idempotency.run(actorStore, exchange, key, operation, caller, input.body, handle);
  };
  return async (exchange, caller) => {
    const startedAt = stopwatch();
    const isStrict = applyStrictPreference(exchange, exchange.request.headers.get("prefer")) || operation.isStrict;
    const input = await reader.readWithBody(exchange, isStrict);
    // A client may hold its body back until long after its key was revoked, so a late body is authenticated again.
    const isLate = stopwatch() - startedAt > maxPromptBodyMs;
    const currentCaller = isLate ? await authenticator.authenticate(exchange) : caller;
    const result = await measureStoreTime(exchange, withTimeout(limits, perform(exchange, currentCaller, input)));
    return represent(input, result);
  };
}

/** Time within which a body counts as sent together with its head. */
const maxPromptBodyMs = 50;

function measureStoreTime<Result>(exchange: Exchange, result: Promise<Result>): Promise<Result> {
  return result.finally(() => {
    if (exchange.storeStartedAt > 0) exchange.storeMs = performance.now() - exchange.storeStartedAt;
  });
}

/** Returns the state that the store must find. Throws PreconditionFailed for an ETag in `If-Match` if the operation has no such state. */
async function readExpected(
  request: WireRequest,
  { current, success }: Operation,
  input: AnyInput,
  context: Context,
): Promise<Expectation<object>> {
  if (!current) {
    const ifMatch = request.headers.get("if-match");
    if (ifMatch === null || ifMatch.trim() === "*") return undefined;
    throw preconditionFailed();
  }
  const state = await current.read(input, context);
  // Expects the resource to be missing still, so that the operation itself throws NotFound, or PreconditionFailed if another
  // request has created the resource meanwhile.
  if (!state && success.created === undefined) return null;
  return evaluatePreconditions(request, state, (resource) =>
    current.show ? current.show(resource, context) : resource,
  );
}

function withTimeout<Result>({ operationMs }: RouteLimits, result: Promise<Result>): Promise<Result> {
  const message = "The store did not respond in time. It is not known whether the request was carried out.";
  return withDeadline(operationMs, result, () => new ServiceError("ServiceUnavailable", message));
}
