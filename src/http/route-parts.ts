import type { Awaitable } from "../base/awaitable.ts";
import type { Clock, Stopwatch } from "../base/clock.ts";
import type { Caller } from "../domain/key.ts";
import { beatMs, type EventReaders } from "../feed/readers.ts";
import { type Context, noVault, type WebhookService } from "../operations/operation.ts";
import type { Store } from "../store/store.ts";
import type { Authenticator } from "./access/authentication.ts";
import { tokenOf } from "./access/token.ts";
import type { Exchange } from "./exchange.ts";
import type { Idempotency } from "./idempotency.ts";
import type { PageCache } from "./lists/page-cache.ts";
import type { SharedReads } from "./lists/shared-reads.ts";
import type { Addresses } from "./reply/addresses.ts";
import type { Reply } from "./reply/reply.ts";
import { type BodyLimits, defaultBodyLimits } from "./request/body.ts";
import type { BodyRoom } from "./request/body-room.ts";

/** What answers at one path. */
export type Place = (exchange: Exchange) => Awaitable<Reply>;

/** What an operation makes of a request, once its sender is known. */
export type Route = (exchange: Exchange, caller: Caller) => Awaitable<Reply>;

/** What the routes of all operations share. */
export interface RouteParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly addresses: Addresses;
  readonly authenticator: Authenticator;
  readonly idempotency: Idempotency;
  readonly pageCache: PageCache;
  /** Where a read is a round trip. */
  readonly sharedReads: SharedReads | undefined;
  readonly readers: EventReaders;
  readonly webhooks: WebhookService;
  readonly limits: RouteLimits;
  readonly bodyRoom: BodyRoom;
}

export interface RouteLimits {
  readonly body: BodyLimits;
  /** How long an operation may take, once its input is there. */
  readonly milliseconds: number;
  /** For how long a reader of a stream may take next to nothing of what it is sent. */
  readonly readerPatienceMs: number;
  /** Rate at which an export must be read while others wait for one. */
  readonly minExportBytesPerMs: number;
}

export const defaultRouteLimits: RouteLimits = {
  body: defaultBodyLimits,
  milliseconds: 15_000,
  readerPatienceMs: 30_000,
  minExportBytesPerMs: 64,
};

/** Asks again who has sent a request whose response takes long. Throws Unauthorized if its key no longer works. */
export function checkAgain({ authenticator }: RouteParts, exchange: Exchange): Awaitable<Caller> {
  return authenticator.authenticate(tokenOf(exchange.request.headers.get("authorization")), exchange, beatMs);
}

/** What the handler of an operation that only reads is called with. */
export function contextOfRead({ store, clock, webhooks }: RouteParts, caller: Caller): Context {
  return { store, clock, caller, vault: noVault, webhooks };
}
