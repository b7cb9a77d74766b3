import type { Awaitable } from "../base/awaitable.ts";
import type { Clock } from "../base/clock.ts";
import type { Int64 } from "../base/int64.ts";
import type { Category, CategoryFilter } from "../domain/category.ts";
import type { IndexedFilter, LoggedEvent, Origin } from "../domain/event.ts";
import type { Expectation } from "../domain/expectation.ts";
import type { IdempotencyRecord } from "../domain/idempotency.ts";
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
 * Every method may throw ServiceUnavailable, and every write InsufficientStorage; the comments name what else is thrown. A write
 * returns after its commit, and one that throws has changed nothing, unless the error says that this is unknown.
 */
export interface Store {
  readonly pets: PetStore;
  readonly orders: OrderStore;
  readonly categories: CategoryStore;
  readonly keys: KeyStore;
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly transfer: Transfer;

  /** Tells if what was read before is still true; absent where that would cost as much as reading it again. */
  readonly freshness?: Freshness | undefined;

  /** The time that all instances on this store share, whatever the clocks of their machines say. */
  readonly clock: Clock;

  /** Shares quotas among instances; absent where one process alone uses the store. */
  readonly quotas?: QuotaStore | undefined;

  inventory(): Awaitable<Inventory>;

  /** Counts the animals of a category, up to `maxInventoryCount` of each status. */
  inventoryOf(categoryId: Int64): Awaitable<Inventory>;

  /** Returns the same store, with writes that have this origin in the event log, and that add to the time. */
  by(origin: Origin, time?: TimeSpent): Store;

  /**
   * Visits all animals as of one moment, ascending by id. An error of the visitor ends the export, and is thrown. Throws TooManyRequests
   * where another export is in progress, and both would keep the store from freeing space.
   */
  export(visitor: ExportVisitor): Promise<void>;

  /**
   * Returns the same store for one write, which returns the outcome of an earlier write under the same claim in the last 24 hours. Throws
   * UnprocessableContent if that one asked for something else, Conflict if it is still in progress, and TooManyRequests without room.
   */
  once(claim: IdempotencyRecord): Store;

  /** Removes what has expired, in small steps. */
  tidy(now: number): Promise<void>;

  /** Returns if the store can answer those requests. Clients may request this as often as they like. */
  ready(kind: RequestKind): Awaitable<void>;

  /** Finishes the writes in progress, then releases everything. */
  close(): Promise<void>;
}

export interface ExportVisitor {
  /** Called first, with the end of the event log at that moment. */
  begin(end: LogMark | undefined): void;
  /** The next animals are read when this has returned. */
  take(pets: readonly Pet[]): Promise<void>;
}

/** The part of a request's time that the store reports. */
export interface TimeSpent {
  /** How long writes have waited for their turn. */
  queueMs: number;
}

export type RequestKind = "reads" | "writes";

export interface Freshness {
  /** Reads from now on see this moment, or a later one. */
  now(): Moment;
}

export interface Moment {
  /** Changes with every commit of any process. */
  readonly version: number;
  /** Changes with every commit that did more to the animals than to add some after all others. */
  readonly epoch: number;
}

export interface PetStore {
  /** By id. An animal that exists from the first page of a walk to its last is on exactly one page. */
  list(filter: PetFilter, page: PageRequest): Awaitable<Page<Pet>>;

  get(id: Int64): Awaitable<Pet | undefined>;

  create(pet: NewPet): Promise<Pet>;

  /** Adds all of them or none. Their ids ascend in their order. */
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

  /** Throws Conflict unless the animal is available. */
  place(order: NewOrder, at: number): Promise<Order>;

  /** Throws NotFound, PreconditionFailed, and Conflict unless the order is open. */
  close(id: Int64, status: ClosedStatus, at: number, expected?: Expectation<Order>): Promise<Order>;
}

export interface CategoryStore {
  list(filter: CategoryFilter, page: PageRequest): Awaitable<Page<Category>>;

  get(id: Int64): Awaitable<Category | undefined>;

  /** Returns true if there was none with that id. Throws PreconditionFailed. */
  put(category: Category, expected: Expectation<Category>): Promise<boolean>;

  /** Throws NotFound and PreconditionFailed. */
  delete(id: Int64, expected: Expectation<Category>): Promise<void>;
}

export interface KeyStore {
  list(page: PageRequest): Awaitable<Page<Key>>;

  get(id: Int64): Awaitable<Key | undefined>;

  find(hash: Uint8Array): Awaitable<Key | undefined>;

  /** Throws BadRequest if the key would never work, and Forbidden if its maker has a smaller scope or a shorter life. */
  create(key: NewKey, secret: KeySecret, maker?: KeyMaker): Promise<CreatedKey>;

  /** Creates the key, or returns undefined if the store has a key. */
  createFirst(key: NewKey, secret: KeySecret): Promise<Key | undefined>;

  /**
   * Creates the successor of a key, and lets the key expire. Throws as `create` does, and NotFound, PreconditionFailed, Conflict unless
   * the key is active, and with `keepLastAdmin` Conflict when neither the successor nor another active admin key lasts as long.
   */
  rotate(id: Int64, rotation: KeyRotation, secret: KeySecret, expected?: Expectation<Key>): Promise<CreatedKey>;

  /**
   * A key that was revoked before stays as it was. Throws NotFound, PreconditionFailed, and with `keepLastAdmin` Conflict when no other
   * active admin key lasts as long.
   */
  revoke(id: Int64, at: number, keepLastAdmin: boolean, expected?: Expectation<Key>): Promise<Key>;

  recordUse(uses: readonly KeyUse[]): Promise<void>;
}

/** Every write above appends its event in its own transaction. What can be read is always a prefix of what can be read later. */
export interface EventStore {
  /** Ascending, after a position. Fewer than `limit` are all up to the end. */
  read(filter: IndexedFilter, after: number, limit: number): Awaitable<EventPage>;

  /** Descending, from a position or from the newest. Fewer than `limit` are all that are kept. */
  readBack(filter: IndexedFilter, from: number | undefined, limit: number): Awaitable<readonly LoggedEvent[]>;

  idAt(position: number): Awaitable<string | undefined>;

  ends(): Awaitable<LogEnds | undefined>;

  /** Calls back soon after there may be more events, until the function that it returns is called. */
  watch(onMore: () => void): () => void;
}

export interface EventPage {
  readonly events: readonly LoggedEvent[];
  /** The end of the log when they were read. */
  readonly end: LogMark | undefined;
}

export interface LogMark {
  readonly position: number;
  readonly id: string;
}

export interface LogEnds {
  readonly oldest: LogMark;
  readonly newest: LogMark;
}

export interface WebhookStore {
  list(page: PageRequest): Awaitable<Page<Webhook>>;

  get(id: Int64): Awaitable<Webhook | undefined>;

  /** The webhook gets the events after the mark, or all. Throws Conflict when there are `maxWebhooks`. */
  create(webhook: NewWebhook, secret: WebhookSecret, after: LogMark | undefined): Promise<CreatedWebhook>;

  /** Throws NotFound and PreconditionFailed. */
  update(id: Int64, changes: WebhookChanges, at: number, expected: Expectation<Webhook>): Promise<Webhook>;

  /** Throws NotFound and PreconditionFailed. */
  delete(id: Int64, expected: Expectation<Webhook>): Promise<void>;

  /** Until `retiresAt`, the previous secret signs as well. Throws PreconditionFailed, and NotFound also without a new secret. */
  rotate(
    id: Int64,
    rotation: WebhookRotation,
    secret: WebhookSecret | undefined,
    expected: Expectation<Webhook>,
  ): Promise<CreatedWebhook>;

  /** Delivers the events after the mark again, and forgets what was parked. Throws NotFound. */
  replay(id: Int64, after: LogMark | undefined, at: number): Promise<Webhook>;

  /** Delivers the event of a recent delivery again, or at once. Throws NotFound, Conflict for a test, and Gone if the event was removed. */
  retry(id: Int64, deliveryId: Int64, at: number): Promise<Delivery>;

  deliveries(id: Int64, limit: number): Awaitable<readonly Delivery[]>;

  delivery(id: Int64): Awaitable<Delivery | undefined>;

  /** Adds a pending delivery. Throws NotFound. */
  beginDelivery(id: Int64, delivery: NewDelivery): Promise<Delivery>;

  /** Returns undefined if it is no longer kept. */
  endDelivery(id: number, delivery: NewDelivery): Promise<Delivery | undefined>;

  secrets(id: Int64): Awaitable<WebhookSecrets | undefined>;

  /** Renews the leases of the owner, and takes some that are free, except those of the `others`. Returns all that the owner has. */
  lease(owner: string, now: number, until: number, others: readonly number[]): Promise<readonly LeasedWebhook[]>;

  /** Ends the leases of an owner, except for those webhooks. */
  release(owner: string, except: readonly number[]): Promise<void>;

  parked(id: number): Awaitable<readonly ParkedEvent[]>;

  /** Returns false, having changed nothing, if the lease is lost or the webhook was changed. */
  record(lease: WebhookLease, progress: WebhookProgress): Promise<boolean>;
}

export interface WebhookSecret {
  /** Sealed with a key of the service. */
  readonly sealed: string;
  /** In a form that only the client can read. A repeated request returns it again. */
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
  /** Every event up to there was delivered or parked, or is of another type. */
  readonly position: number;
  /** The id of the event there; empty before the first. */
  readonly eventId: string;
  readonly revision: number;
}

export interface WebhookLease {
  readonly id: number;
  readonly owner: string;
  readonly revision: number;
}

/** The progress of deliveries that is not saved yet. */
export interface WebhookProgress {
  readonly reached?: LogMark | undefined;
  readonly parked: readonly ParkedEvent[];
  /** Positions of events that are no longer parked. */
  readonly unparked: readonly number[];
  readonly deliveries: readonly NewDelivery[];
  readonly failingSince: number | null;
  readonly disabled?: { readonly reason: DisabledReason; readonly at: number } | undefined;
}

export interface KeySecret {
  readonly hash: Uint8Array;
  /** The key in a form that only the client can read. A repeated request returns it again. */
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

/** Moves everything from one store to another. */
export interface Transfer {
  count(table: Table): Awaitable<number>;

  /** Ascending by the table's key, after a row. */
  read(table: Table, after: Row | undefined, limit: number): Awaitable<Row[]>;

  /** Writes rows over those with the same keys. Throws StoreOpenError to a user without the right. */
  write(table: Table, rows: readonly Row[]): Promise<void>;

  /** Returns the highest id that each table has ever given. Throws StoreOpenError to a user who may not see it. */
  lastIds(): Awaitable<LastIds>;

  /** From then on, no id up to these is given. Throws StoreOpenError to a user without the right. */
  reserveIds(last: LastIds): Promise<void>;
}

export type LastIds = Readonly<Record<string, number>>;

export interface KeyUse {
  readonly id: number;
  readonly at: number;
}

export interface MigrationPlan {
  readonly pending: readonly PendingMigration[];
  /** True if a newer program has changed the schema, in a way that this program works with. */
  readonly isNewer: boolean;
  /** Why the user may not migrate. */
  readonly hindrance?: string | undefined;
  /** Statements that give the user the missing rights, for the owner to run. */
  readonly grants: readonly string[];
}

export interface PendingMigration {
  readonly name: string;
  /** True if programs of older versions serve meanwhile. */
  readonly isOnline: boolean;
}

export interface StoreWatch {
  readonly note: Note;
  readonly metrics: Registry;
  /** Slower statements are logged, without the values in them. */
  readonly slowStatementMs: number;
}

/** Logs a change that no client requested. */
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
    /** True if the server could not be reached, so that another attempt may succeed soon. */
    readonly isUnreachable = false,
  ) {
    super(message);
  }
}
