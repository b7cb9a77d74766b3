import type { Awaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import type { Int64 } from "../base/int64.ts";
import type { Category, CategoryFilter } from "../domain/category.ts";
import type { Claim } from "../domain/claim.ts";
import type { IndexedFilter, LoggedEvent, Origin } from "../domain/event.ts";
import type { Expectation } from "../domain/expectation.ts";
import type { Key, KeyMaker, KeyRotation, NewKey } from "../domain/key.ts";
import type { ClosedStatus, NewOrder, Order, OrderFilter } from "../domain/order.ts";
import type { Page, PageRequest } from "../domain/page.ts";
import type { Inventory, NewPet, Pet, PetChanges, PetFilter } from "../domain/pet.ts";
import type {
  Delivery,
  DisabledReason,
  NewDelivery,
  NewWebhook,
  ParkedEvent,
  Webhook,
  WebhookChanges,
} from "../domain/webhook.ts";
import type { Registry } from "../metrics/registry.ts";
import type { Table } from "./resource-table.ts";
import type { Row } from "./tables.ts";

/**
 * Where everything is kept. Every method may throw ServiceUnavailable, when the store cannot answer now but may soon, and
 * every write InsufficientStorage, when there is no room left; the comments name what else comes back. A write returns
 * after its commit, and one that throws has changed nothing, unless the error says that this is unknown.
 */
export interface Store {
  readonly pets: PetStore;
  readonly orders: OrderStore;
  readonly categories: CategoryStore;
  readonly keys: KeyStore;
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly transfer: Transfer;

  /** Tells whether what was read before is still true; absent where that would cost as much as reading it again. */
  readonly freshness?: Freshness | undefined;

  /** The time that all who use this store agree on, whatever the clocks of their machines say. */
  readonly clock: Clock;

  /** Shares quotas among all who use this store; absent where one process alone does. */
  readonly quotas?: QuotaStore | undefined;

  /** The number of animals with each status. */
  inventory(): Awaitable<Inventory>;

  /** The number of a category's animals with each status, up to `mostCounted`, so that it takes no longer where there are more. */
  inventoryOf(categoryId: Int64): Awaitable<Inventory>;

  /** Returns the same store, with writes that have this origin in the event log, and that add to the time. */
  by(origin: Origin, time?: TimeSpent): Store;

  /**
   * Gives all animals as of one moment to the visitor, ascending by id. What it throws ends it, and is thrown. Throws
   * TooManyRequests where another export is in progress, and both would keep the store from freeing space.
   */
  export(visitor: ExportVisitor): Promise<void>;

  /**
   * The same store, for one request: its write is done unless one under the same claim has been done in the last 24
   * hours; then what became of that one comes back. Throws UnprocessableContent if that one asked for something else,
   * Conflict if it is still in progress, and TooManyRequests if there is no room to keep another claim.
   */
  once(claim: Claim): Store;

  /** Removes what is no longer needed at that time, in small steps. Called now and then. */
  tidy(now: number): Promise<void>;

  /** Returns if the store can answer those requests. Anybody may have this asked as often as they like. */
  ready(kind: RequestKind): Awaitable<void>;

  /** Finishes the writes in progress, then releases everything. Nothing may be called after it. */
  close(): Promise<void>;
}

export interface ExportVisitor {
  /** Called first, with where the log of events ended at that moment. */
  begin(end: LogMark | undefined): void;
  /** Each lot is waited for before the next is read. */
  take(pets: readonly Pet[]): Promise<void>;
}

/** The part of a request's time that the store reports. */
export interface TimeSpent {
  /** How long writes have waited for their turn. */
  queueMs: number;
}

/** Either kind may be answered while the other is not. */
export type RequestKind = "reads" | "writes";

export interface Freshness {
  /** What is read from now on is true of this moment, or of a later one. */
  now(): Moment;
}

export interface Moment {
  /** Changes with every commit of any process. */
  readonly version: number;
  /** Changes with every commit that did more to the animals than to add some after all others. */
  readonly epoch: number;
}

export interface PetStore {
  /** By id. Every animal that is there from the first page of a walk to its last is on exactly one page. */
  list(filter: PetFilter, page: PageRequest): Awaitable<Page<Pet>>;

  get(id: Int64): Awaitable<Pet | undefined>;

  /** Throws InsufficientStorage also when the ids are used up. */
  create(pet: NewPet): Promise<Pet>;

  /** All of them or none. Their ids ascend in their order. Throws InsufficientStorage also when the ids are used up. */
  createAll(pets: readonly NewPet[]): Promise<readonly Pet[]>;

  /** Throws NotFound, PreconditionFailed, and Conflict when the status may not change so. */
  update(id: Int64, changes: PetChanges, expected: Expectation<Pet>): Promise<Pet>;

  /** Throws NotFound, PreconditionFailed, and Conflict when the animal has an open order. */
  delete(id: Int64, expected: Expectation<Pet>): Promise<void>;
}

/** Each of its writes moves the animal of the order in the same transaction. */
export interface OrderStore {
  list(filter: OrderFilter, page: PageRequest): Awaitable<Page<Order>>;

  get(id: Int64): Awaitable<Order | undefined>;

  /** Throws Conflict unless the animal is available. Of many that come at once for one animal, one succeeds. */
  place(order: NewOrder, at: number): Promise<Order>;

  /** Throws NotFound, PreconditionFailed, and Conflict unless the order is open. */
  close(id: Int64, status: ClosedStatus, at: number, expected?: Expectation<Order>): Promise<Order>;
}

export interface CategoryStore {
  list(filter: CategoryFilter, page: PageRequest): Awaitable<Page<Category>>;

  get(id: Int64): Awaitable<Category | undefined>;

  /** Returns whether there was none with that id. Throws PreconditionFailed. */
  put(category: Category, expected: Expectation<Category>): Promise<boolean>;

  /** Throws NotFound and PreconditionFailed. */
  delete(id: Int64, expected: Expectation<Category>): Promise<void>;
}

export interface KeyStore {
  list(page: PageRequest): Awaitable<Page<Key>>;

  get(id: Int64): Awaitable<Key | undefined>;

  find(hash: Uint8Array): Awaitable<Key | undefined>;

  /** Throws BadRequest if the key would never work, and Forbidden if its maker, if one is given, has less than it. */
  create(key: NewKey, secret: KeySecret, maker?: KeyMaker): Promise<CreatedKey>;

  /** Creates the key unless there is one, or has ever been one; then returns undefined. */
  createFirst(key: NewKey, secret: KeySecret): Promise<Key | undefined>;

  /**
   * Creates the successor of a key, and lets the key expire. Throws as `create` does, and NotFound, PreconditionFailed,
   * Conflict unless the key is active, and with `keepLastAdmin` Conflict when neither the successor nor another active key
   * with the scope admin lasts as long.
   */
  rotate(id: Int64, rotation: KeyRotation, secret: KeySecret, expected?: Expectation<Key>): Promise<CreatedKey>;

  /**
   * A key that was revoked before stays as it was. Throws NotFound, PreconditionFailed, and with `keepLastAdmin` Conflict when no other active
   * key with the scope admin lasts as long.
   */
  revoke(id: Int64, at: number, keepLastAdmin: boolean, expected?: Expectation<Key>): Promise<Key>;

  recordUse(uses: readonly KeyUse[]): Promise<void>;
}

/**
 * What has happened, in order. Every write above appends its event in its own transaction. What can be read is always a
 * prefix of what can be read later.
 */
export interface EventStore {
  /** Ascending from the position on, without it. Fewer than `limit` are all there are up to the end. */
  read(filter: IndexedFilter, after: number, limit: number): Awaitable<EventPage>;

  /** Descending from the position on, with it, or from the newest. Fewer than `limit` are all that are kept. */
  readBack(filter: IndexedFilter, from: number | undefined, limit: number): Awaitable<readonly LoggedEvent[]>;

  /** The id of the event at a position; undefined if it has been removed, or there is none yet. */
  idAt(position: number): Awaitable<string | undefined>;

  /** Undefined as long as nothing has ever happened. */
  ends(): Awaitable<LogEnds | undefined>;

  /** Calls back soon after there are more events, or may be, until the function that it returns is called. */
  watch(onMore: () => void): () => void;
}

export interface EventPage {
  readonly events: readonly LoggedEvent[];
  /** Where the log ended when they were read; undefined if it was empty. */
  readonly end: LogMark | undefined;
}

/** A position, and the event there. */
export interface LogMark {
  readonly position: number;
  readonly id: string;
}

export interface LogEnds {
  readonly oldest: LogMark;
  readonly newest: LogMark;
}

/** Where events are sent to, how far each has got, and what was tried lately. */
export interface WebhookStore {
  list(page: PageRequest): Awaitable<Page<Webhook>>;

  get(id: Int64): Awaitable<Webhook | undefined>;

  /** It gets what happens after the mark; undefined is before everything. Throws Conflict when there are `mostWebhooks`. */
  create(webhook: NewWebhook, secret: WebhookSecret, after: LogMark | undefined): Promise<CreatedWebhook>;

  /** Throws NotFound and PreconditionFailed. */
  update(id: Int64, changes: WebhookChanges, at: number, expected: Expectation<Webhook>): Promise<Webhook>;

  /** Throws NotFound and PreconditionFailed. */
  delete(id: Int64, expected: Expectation<Webhook>): Promise<void>;

  /**
   * The secret before is used as well until `retiresAt`. There is no new one for a webhook that was not there a moment ago. Throws
   * PreconditionFailed, and NotFound if there is no webhook or no new secret.
   */
  rotate(
    id: Int64,
    rotation: WebhookRotation,
    secret: WebhookSecret | undefined,
    expected: Expectation<Webhook>,
  ): Promise<CreatedWebhook>;

  /** Goes on after the mark, as if nothing after it had been delivered, and forgets what was parked. Throws NotFound. */
  replay(id: Int64, after: LogMark | undefined, at: number): Promise<Webhook>;

  /**
   * Has the event of a recent delivery delivered again, or at once. Throws NotFound, Conflict if it was a test, and Gone if the
   * event is no longer kept.
   */
  retry(id: Int64, deliveryId: Int64, at: number): Promise<Delivery>;

  /** The latest first. */
  deliveries(id: Int64, limit: number): Awaitable<readonly Delivery[]>;

  delivery(id: Int64): Awaitable<Delivery | undefined>;

  /** Adds a delivery whose outcome is yet to come. Throws NotFound. */
  beginDelivery(id: Int64, delivery: NewDelivery): Promise<Delivery>;

  /** Returns undefined if it is no longer kept. */
  endDelivery(id: number, delivery: NewDelivery): Promise<Delivery | undefined>;

  /** The secrets, as they were sealed. */
  secrets(id: Int64): Awaitable<WebhookSecrets | undefined>;

  /**
   * Makes the owner the one who delivers to those that it delivers to already, and to some to whom nobody else does, but
   * leaves the `others` to others. Returns those that it has now.
   */
  lease(owner: string, now: number, until: number, others: readonly number[]): Promise<readonly LeasedWebhook[]>;

  /** Ends the leases of an owner, except for those webhooks. */
  release(owner: string, except: readonly number[]): Promise<void>;

  /** Ascending by position. */
  parked(id: number): Awaitable<readonly ParkedEvent[]>;

  /** Returns false, having changed nothing, if somebody else delivers now, or the webhook was changed. */
  record(lease: WebhookLease, progress: WebhookProgress): Promise<boolean>;
}

export interface WebhookSecret {
  /** With a key of the service. */
  readonly sealed: string;
  /** In a form that only its maker can read. It comes back with the webhook, also when the request is repeated. */
  readonly sealedForMaker?: string | undefined;
}

export interface CreatedWebhook extends Webhook {
  readonly sealedForMaker?: string | undefined;
}

export interface WebhookRotation {
  readonly at: number;
  readonly retiresAt: number;
}

export interface WebhookSecrets {
  readonly secret: string;
  readonly previousSecret: string | null;
}

export interface LeasedWebhook extends Webhook, WebhookSecrets {
  /** Up to there everything was delivered, or parked, or is of other types. */
  readonly position: number;
  /** Of the event there; empty before the first. */
  readonly eventId: string;
  readonly revision: number;
}

export interface WebhookLease {
  readonly id: number;
  readonly owner: string;
  readonly revision: number;
}

/** What the one who delivers has come to since it said so last. */
export interface WebhookProgress {
  readonly reached?: LogMark | undefined;
  /** Those that are new, or were tried again. */
  readonly parked: readonly ParkedEvent[];
  /** The positions of those that are no longer parked. */
  readonly unparked: readonly number[];
  readonly deliveries: readonly NewDelivery[];
  readonly failingSince: number | null;
  readonly disabled?: { readonly reason: DisabledReason; readonly at: number } | undefined;
}

/** What there is of a new key besides its description. */
export interface KeySecret {
  readonly hash: Uint8Array;
  /** The key in a form that only its maker can read. It comes back with the created key, also when the request is repeated. */
  readonly sealed?: string | undefined;
}

export interface CreatedKey extends Key {
  readonly sealed?: string | undefined;
}

/** The uses of quotas that several processes share. */
export interface QuotaStore {
  /** Publishes the uses of one process, reserves more for it as far as the quota allows, and returns the uses of the others. */
  exchange(request: QuotaRequest): Promise<QuotaResponse>;
}

export interface QuotaRequest {
  /** A key's id; 0 for the configured key. */
  readonly key: number;
  readonly process: string;
  /** All uses of the process that still count, and those that it has reserved. */
  readonly uses: readonly QuotaUse[];
  /** The number of further uses to reserve, if all uses together stay below `limit`. */
  readonly wanted: number;
  /** The time at which the reserved uses are taken to happen. */
  readonly reservedUntil: number;
  readonly limit: number;
  /** Uses up to this time no longer count. */
  readonly cutoff: number;
}

export interface QuotaUse {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly count: number;
}

export interface QuotaResponse {
  readonly reserved: number;
  readonly others: readonly QuotaUse[];
  /** The number of processes with uses that count. */
  readonly processCount: number;
}

/** For moving everything from one store to another; the service itself has no use for it. */
export interface Transfer {
  count(table: Table): Awaitable<number>;

  /** Ascending by the table's key, after the row that is given. */
  read(table: Table, after: Row | undefined, limit: number): Awaitable<Row[]>;

  /** Writes what another store had over what has the same keys here. Throws StoreOpenError to a user who may not. */
  write(table: Table, rows: readonly Row[]): Promise<void>;

  /**
   * The highest id ever given in each table that gives ids, which may be that of something that is gone. Throws StoreOpenError to
   * a user who may not see it.
   */
  lastIds(): Awaitable<LastIds>;

  /** From then on, no id up to these is given. Throws StoreOpenError to a user who may not say so. */
  reserveIds(last: LastIds): Promise<void>;
}

export type LastIds = Readonly<Record<string, number>>;

export interface KeyUse {
  readonly id: number;
  readonly at: number;
}

/** What opening a store would do to it, and what it cannot do. */
export interface MigrationPlan {
  /** The changes to the schema that are still to be made. */
  readonly pending: readonly PendingMigration[];
  /** Whether a newer program has changed the schema already, in a way that this one works with. */
  readonly isNewer: boolean;
  /** Why the user may not make them, in one sentence or two. */
  readonly hindrance?: string | undefined;
  /** Statements that give the user the rights it lacks, for somebody else to run. */
  readonly grants: readonly string[];
}

export interface PendingMigration {
  readonly name: string;
  /** Whether it is made while programs of older versions serve. */
  readonly isOnline: boolean;
}

/** By what a store is watched. */
export interface StoreWatch {
  readonly note: Note;
  readonly metrics: Registry;
  /** What takes longer is noted, without the values in it. */
  readonly slowStatementMs: number;
}

/** Informs operators of a change that nobody asked for. */
export type Note = (
  level: "info" | "warn" | "error",
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** The database cannot be used as it is; the message is one line for the operator. */
export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";

  constructor(
    message: string,
    /** Whether its server could not be reached, so that the same may succeed soon. */
    readonly isUnreachable = false,
  ) {
    super(message);
  }
}
