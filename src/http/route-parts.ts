import type { Awaitable } from "../base/awaitable.ts";
import type { Clock, Stopwatch } from "../base/clock.ts";
import type { Caller } from "../domain/key.ts";
import { type EventReaders, recheckIntervalMs } from "../feed/readers.ts";
import { type Context, noVault, type WebhookService } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import type { Authenticator } from "./access/authentication.ts";
import { parseBearerToken } from "./access/token.ts";
import type { Exchange } from "./exchange.ts";
import type { Idempotency } from "./idempotency.ts";
import type { PageCache } from "./lists/page-cache.ts";
import type { SharedReads } from "./lists/shared-reads.ts";
import { type BodyLimits, defaultBodyLimits } from "./request/body.ts";
import type { BodyMemory } from "./request/body-memory.ts";
import type { HttpResponse } from "./response/http-response.ts";
import type { UrlBuilder } from "./response/url-builder.ts";

/** What answers at one path. */
export type Endpoint = (exchange: Exchange) => Awaitable<HttpResponse>;

/** What an operation makes of a request, once its sender is known. */
export type Route = (exchange: Exchange, caller: Caller) => Awaitable<HttpResponse>;

/** What the routes of all operations share. */
export interface RouteParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly addresses: UrlBuilder;
  readonly authenticator: Authenticator;
  readonly idempotency: Idempotency;
  readonly pageCache: PageCache;
  /** Where a read is a round trip. */
  readonly sharedReads: SharedReads | undefined;
  readonly readers: EventReaders;
  readonly webhooks: WebhookService;
  readonly limits: RouteLimits;
  readonly bodyMemory: BodyMemory;
}

export interface RouteLimits {
  readonly body: BodyLimits;
  /** How long an operation may take, once its input is there. */
  readonly operationMs: number;
  /** For how long a reader of a stream may take next to nothing of what it is sent. */
  readonly readerTimeoutMs: number;
  /** Rate at which an export must be read while others wait for one. */
  readonly minExportBytesPerMs: number;
}

export const defaultRouteLimits: RouteLimits = {
  body: defaultBodyLimits,
  operationMs: 15_000,
  readerTimeoutMs: 30_000,
  minExportBytesPerMs: 64,
};

/** Asks again who has sent a request whose response takes long. Throws Unauthorized if its key no longer works. */
export function reauthenticate({ authenticator }: RouteParts, exchange: Exchange): Awaitable<Caller> {
  return authenticator.authenticate(
    parseBearerToken(exchange.request.headers.get("authorization")),
    exchange,
    recheckIntervalMs,
  );
}

/** What the handler of an operation that only reads is called with. */
export function contextOfRead({ store, clock, webhooks }: RouteParts, caller: Caller): Context {
  return { store, clock, caller, vault: noVault, webhooks };
}
