import { type Awaitable, mapAwaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import { withDeadline } from "../base/deadline.ts";
import { ServiceError } from "../domain/errors.ts";
import type { Origin } from "../domain/event.ts";
import { type Expectation, preconditionFailed } from "../domain/expectation.ts";
import type { Caller } from "../domain/key.ts";
import { type Context, noVault, type Operation, takesIdempotencyKey, type Vault } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import type { WireRequest } from "../wire/message.ts";
import { requireScope } from "./access/authentication.ts";
import { parseBearerToken } from "./access/token.ts";
import type { Exchange } from "./exchange.ts";
import { exportRoute } from "./export-route.ts";
import { feedRoute } from "./feed-route.ts";
import type { PageCache } from "./lists/page-cache.ts";
import type { SharedReads } from "./lists/shared-reads.ts";
import { requirePresent } from "./request/fault.ts";
import { type AnyInput, InputReader } from "./request/input.ts";
import { followPreference } from "./request/preferences.ts";
import { expectationOf, isConditional } from "./response/conditional.ts";
import { endOf } from "./response/deprecation.ts";
import type { HttpResponse } from "./response/http-response.ts";
import { onCondition, representationOf } from "./response/representation.ts";
import { contextOfRead, type Route, type RouteLimits, type RouteParts } from "./route-parts.ts";

/**
 * Puts together, once, what a request to the operation goes through: deprecation, scope, input, handler, representation. A
 * step that its definition does not call for is not there. What is unusual about a request leaves the straight line by name.
 */
export function routeOf(operation: Operation, parts: RouteParts): Route {
  const answer = routeWithoutScope(operation, parts);
  const { scope } = operation;
  const announceEnd = endOf(operation, parts.addresses, parts.clock);
  return (exchange, caller) => {
    exchange.operation = operation;
    announceEnd?.(exchange);
    requireScope(caller, scope);
    return answer(exchange, caller);
  };
}

function routeWithoutScope(operation: Operation, parts: RouteParts): Route {
  if (operation.isFeed) return feedRoute(operation, parts);
  if (operation.isExport) return exportRoute(operation, parts);
  return operation.method === "GET" ? readRoute(operation, parts) : writeRoute(operation, parts);
}

function readRoute(operation: Operation, parts: RouteParts): Route {
  const { addresses, pageCache, sharedReads, limits } = parts;
  const reader = new InputReader(operation, limits.body);
  const represent = representationOf(operation, addresses);
  const read = (exchange: Exchange, caller: Caller, isStrict: boolean): Awaitable<HttpResponse> => {
    const input = reader.read(exchange, isStrict);
    const context = contextOfRead(parts, caller);
    exchange.storeAt = performance.now();
    let result: ReturnType<Operation["handle"]>;
    try {
      result = operation.handle(input, context);
    } finally {
      exchange.storeMs = performance.now() - exchange.storeAt;
    }
    if (!(result instanceof Promise)) return represent(input, result);
    return timed(exchange, inTime(limits, result)).then((value) => represent(input, value));
  };
  const isAlwaysStrict = operation.isStrict === true;
  const readPlainly: Route = (exchange, caller) => read(exchange, caller, isAlwaysStrict);
  const readPage = pageStep(operation, readPlainly, pageCache, sharedReads);
  return (exchange, caller) => {
    const { request } = exchange;
    const prefer = request.headers.get("prefer");
    const reply =
      prefer === null
        ? readPage(exchange, caller)
        : read(exchange, caller, followPreference(exchange, prefer) || isAlwaysStrict);
    return isConditional(request) ? mapAwaitable(reply, (done) => onCondition(done, request)) : reply;
  };
}

/** Pages come from memory while they are fresh or, where that cannot be told, are read once for all who ask at the same time. */
function pageStep(
  { isPaged, isAppended }: Operation,
  read: Route,
  pageCache: PageCache,
  sharedReads: SharedReads | undefined,
): Route {
  if (isPaged && sharedReads)
    return (exchange, caller) => sharedReads.read(exchange.target, exchange, () => read(exchange, caller));
  return isAppended ? (exchange, caller) => pageCache.read(exchange.target, () => read(exchange, caller)) : read;
}

function writeRoute(
  operation: Operation,
  { store, clock, stopwatch, addresses, authenticator, idempotency, webhooks, limits, bodyMemory }: RouteParts,
): Route {
  const reader = new InputReader(operation, limits.body, bodyMemory);
  const represent = representationOf(operation, addresses);
  const isAlwaysStrict = operation.isStrict === true;
  const perform = async (exchange: Exchange, caller: Caller, input: AnyInput): Promise<unknown> => {
    const { request } = exchange;
    requirePresent(request);
    const acting = store.withOrigin(originOf(exchange, caller, clock), exchange);
    const context = { store: acting, clock, caller, vault: noVault, webhooks };
    const expected = isConditional(request) ? await currentState(request, operation, input, context) : undefined;
    const expecting = expected === undefined ? input : { ...input, expected };
    const handle = (store: Store, vault: Vault) => {
      exchange.storeAt = performance.now();
      return operation.handle(expecting, { ...context, store, vault });
    };
    if (!takesIdempotencyKey(operation)) return await handle(acting, noVault);
    return await idempotency.run(acting, exchange, operation, caller, input.body, handle);
  };
  return async (exchange, caller) => {
    const { request } = exchange;
    const begunAt = stopwatch();
    const isStrict = followPreference(exchange, request.headers.get("prefer")) || isAlwaysStrict;
    const input = await reader.readWithBody(exchange, isStrict);
    // A body may be held back on purpose, until long after its key was revoked.
    const isLate = stopwatch() - begunAt > promptMs;
    const stillCaller = isLate
      ? await authenticator.authenticate(parseBearerToken(request.headers.get("authorization")), exchange)
      : caller;
    const result = await timed(exchange, inTime(limits, perform(exchange, stillCaller, input)));
    return represent(input, result);
  };
}

/** A body that comes within this time has come with its request. */
const promptMs = 50;

/** What the log of events says of a write. */
function originOf({ id }: Exchange, { key, name }: Caller, clock: Clock): Origin {
  return { actor: { id: key === "environment" ? null : key, name }, request: id, at: clock() };
}

/** Ends the time that is counted as the store's. */
function timed<Result>(exchange: Exchange, result: Promise<Result>): Promise<Result> {
  return result.finally(() => {
    if (exchange.storeAt > 0) exchange.storeMs = performance.now() - exchange.storeAt;
  });
}

/** What must be there for a write to be made. Throws PreconditionFailed where there is nothing that could be compared. */
async function currentState(
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
  const there = await current.read(input, context);
  // If there is nothing to change, the operation itself reports that, unless it has been created by then.
  if (!there && success.created === undefined) return null;
  return expectationOf(request, there, (thing) => (current.show ? current.show(thing, context) : thing));
}

function inTime<Result>({ operationMs }: RouteLimits, result: Promise<Result>): Promise<Result> {
  return withDeadline(operationMs, result, () => {
    return new ServiceError(
      "ServiceUnavailable",
      "The store did not respond in time. It is not known whether the request was carried out.",
    );
  });
}
