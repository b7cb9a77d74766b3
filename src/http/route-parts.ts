import type { Awaitable } from "../base/awaitable.ts";
import type { Clock, Stopwatch } from "../base/clock.ts";
import type { StreamReader } from "../base/paced-stream.ts";
import type { Caller } from "../domain/key.ts";
import { type EventReaders, recheckIntervalMs } from "../feed/readers.ts";
import { type Context, noVault, type WebhookService } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import type { Authenticator } from "./access/authentication.ts";
import type { Exchange } from "./exchange.ts";
import type { Idempotency } from "./idempotency.ts";
import type { PageCache } from "./lists/page-cache.ts";
import type { SharedReads } from "./lists/shared-reads.ts";
import { type BodyLimits, defaultBodyLimits } from "./request/body.ts";
import type { BodyMemory } from "./request/body-memory.ts";
import type { HttpResponse } from "./response/http-response.ts";
import type { UrlBuilder } from "./response/url-builder.ts";

export type Endpoint = (exchange: Exchange) => Awaitable<HttpResponse>;

/** Handles the requests to one operation, after authentication. */
export type Route = (exchange: Exchange, caller: Caller) => Awaitable<HttpResponse>;

export interface RouteParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly urls: UrlBuilder;
  readonly authenticator: Authenticator;
  readonly idempotency: Idempotency;
  readonly pageCache: PageCache;
  /** Absent if reads are synchronous. */
  readonly sharedReads: SharedReads | undefined;
  readonly readers: EventReaders;
  readonly webhooks: WebhookService;
  readonly limits: RouteLimits;
  readonly bodyMemory: BodyMemory;
}

export interface RouteLimits {
  readonly body: BodyLimits;
  readonly operationMs: number;
  /** Time after which a client that reads almost nothing of a stream is disconnected. */
  readonly readerTimeoutMs: number;
  /** Minimum rate of an export while other clients wait to start an export. */
  readonly minExportBytesPerMs: number;
}

export const defaultRouteLimits: RouteLimits = {
  body: defaultBodyLimits,
  operationMs: 15_000,
  readerTimeoutMs: 30_000,
  minExportBytesPerMs: 64,
};

/** Authenticates the sender of a long-running request again. Throws Unauthorized if the sender's key no longer works. */
export function reauthenticate({ authenticator }: RouteParts, exchange: Exchange): Awaitable<Caller> {
  return authenticator.authenticate(exchange, recheckIntervalMs);
}

export function createReadContext({ store, clock, webhooks }: RouteParts, caller: Caller): Context {
  return { store, clock, caller, vault: noVault, webhooks };
}

/** Adapts the client's connection to `PacedStream`, which disconnects clients that read too slowly. */
export function toStreamReader({ request: { peer } }: Exchange, { limits }: RouteParts): StreamReader {
  return {
    timeoutMs: limits.readerTimeoutMs,
    minBytesPerMs: () => 1,
    acknowledgedBytes: () => peer.acknowledgedBytes(),
    keepOpen: () => peer.useShortWriteTimeout(false),
    closeIfStalled: () => peer.useShortWriteTimeout(true),
  };
}
