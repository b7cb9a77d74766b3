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
 * A write returns after its commit. A write that throws has changed nothing, unless the error says that the outcome is unknown. Every method
 * may throw ServiceUnavailable, and every write InsufficientStorage, NotFound for a missing resource, and PreconditionFailed for one that is
 * not as `expected`; the comments name the other errors.
 */
export interface Store {
  readonly pets: PetStore;
  readonly orders: OrderStore;
  readonly categories: CategoryStore;
  readonly keys: KeyStore;
  readonly events: EventStore;
  readonly webhooks: WebhookStore;
  readonly transfer: Transfer;
  /** Detects changes since an earlier read; absent if a check for changes would cost as much as reading again. */
  readonly freshness?: Freshness | undefined;
  /** The clock that all instances on this store share. */
  readonly clock: Clock;
  /** Shares quotas among instances; absent if only one process uses the store. */
  readonly quotas?: QuotaStore | undefined;
  inventory(): Awaitable<Inventory>;
  /** Counts the animals of a category, up to `maxInventoryCount` per status. */
  inventoryOf(categoryId: Int64): Awaitable<Inventory>;
  /** Returns the same store, whose writes record this origin in the event log, and add to `time`. */
  withOrigin(origin: Origin, time?: TimeSpent): Store;
  /** Visits all animals in one snapshot, ascending by id. Throws TooManyRequests if two exports would keep the store from freeing space. */
  export(visitor: ExportVisitor): Promise<void>;
  /**
   * Returns the same store for a single write, which returns the stored outcome of the last 24 hours, if there is one for the record. The
   * write throws UnprocessableContent if the earlier request was a different one, Conflict while the earlier request is in progress, and
   * TooManyRequests if the quota of idempotency records is used up.
   */
  withIdempotency(record: IdempotencyRecord): Store;
  /** Deletes expired idempotency records and events, in small steps. */
  deleteExpired(now: number): Promise<void>;
  /** Throws unless the store can serve requests of this kind. Cheap, because every health check calls it. */
  requireReady(kind: RequestKind): Awaitable<void>;
  close(): Promise<void>;
}

export interface ExportVisitor {
  onBegin(end: LogMark | undefined): void;
  /** The next animals are read after the promise has resolved. */
  onPets(pets: readonly Pet[]): Promise<void>;
}

export interface TimeSpent {
  queueMs: number;
}

export type RequestKind = "reads" | "writes";

export interface Freshness {
  /** Returns the version of the data; later reads see this version or a later one. */
  currentVersion(): DataVersion;
}

export interface DataVersion {
  /** Changes with every commit of any process. */
  readonly commits: number;
  /** Changes with every commit that does more to animals than add new ones with the highest ids. */
  readonly rewrites: number;
}

export interface PetStore {
  /** Lists animals by id, or by name if the filter has one. An animal that exists throughout a walk of all pages is on exactly one page. */
  list(filter: PetFilter, page: PageRequest): Awaitable<Page<Pet>>;
  get(id: Int64): Awaitable<Pet | undefined>;
  create(pet: NewPet): Promise<Pet>;
  /** Adds all animals or none. Their ids ascend in the given order. */
  createAll(pets: readonly NewPet[]): Promise<readonly Pet[]>;
  /** Throws Conflict for a status to which the current one cannot change. */
  update(id: Int64, changes: PetChanges, expected: Expectation<Pet>): Promise<Pet>;
  /** Throws Conflict if the animal has an open order. */
  delete(id: Int64, expected: Expectation<Pet>): Promise<void>;
}

/** Orders. Each write also changes the status of the animal, in the same transaction. */
export interface OrderStore {
  list(filter: OrderFilter, page: PageRequest): Awaitable<Page<Order>>;
  get(id: Int64): Awaitable<Order | undefined>;
  /** Throws Conflict unless the animal is available. */
  place(order: NewOrder, at: number): Promise<Order>;
  /** Throws Conflict unless the order is open. */
  close(id: Int64, status: ClosedStatus, at: number, expected?: Expectation<Order>): Promise<Order>;
}

export interface CategoryStore {
  list(filter: CategoryFilter, page: PageRequest): Awaitable<Page<Category>>;
  get(id: Int64): Awaitable<Category | undefined>;
  /** Returns true if the category was created. */
  put(category: Category, expected: Expectation<Category>): Promise<boolean>;
  delete(id: Int64, expected: Expectation<Category>): Promise<void>;
}

export interface KeyStore {
  list(page: PageRequest): Awaitable<Page<Key>>;
  get(id: Int64): Awaitable<Key | undefined>;
  findByHash(hash: Uint8Array): Awaitable<Key | undefined>;
  /** Throws BadRequest for a key that would never work, and Forbidden if the maker has a smaller scope or expires earlier. */
  create(key: NewKey, secret: KeySecret, maker?: KeyMaker): Promise<CreatedKey>;
  /** Creates nothing and returns undefined if the store already has a key. */
  createFirst(key: NewKey, secret: KeySecret): Promise<Key | undefined>;
  /**
   * Creates the successor of a key, and lets the old key expire. Throws Conflict if the key is not active or, with `keepLastAdmin`,
   * if neither the successor nor another active admin key lasts as long.
   */
  rotate(id: Int64, rotation: KeyRotation, secret: KeySecret, expected?: Expectation<Key>): Promise<CreatedKey>;
  /** Leaves a revoked key unchanged. With `keepLastAdmin`, throws Conflict if no other active admin key lasts as long. */
  revoke(id: Int64, at: number, keepLastAdmin: boolean, expected?: Expectation<Key>): Promise<Key>;
  recordUse(uses: readonly KeyUse[]): Promise<void>;
}

/** The event log, to which every write appends in its own transaction. Readers always see a prefix of the later log. */
export interface EventStore {
  /** Returns events after a position. A result shorter than `limit` reaches the end of the log. */
  read(filter: IndexedFilter, after: number, limit: number): Awaitable<EventPage>;
  /** Returns events in descending order, from a position or the newest. A result shorter than `limit` reaches the oldest event. */
  readBackwards(filter: IndexedFilter, from: number | undefined, limit: number): Awaitable<readonly LoggedEvent[]>;
  idAt(position: number): Awaitable<string | undefined>;
  ends(): Awaitable<LogEnds | undefined>;
  /** Calls `onMore` soon after there may be more events. Returns a function that ends the calls. */
  watch(onMore: () => void): () => void;
}

export interface EventPage {
  readonly events: readonly LoggedEvent[];
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
  /** Creates a webhook that receives the events after the mark, or all events. Throws Conflict if there are `maxWebhooks`. */
  create(webhook: NewWebhook, secret: WebhookSecret, after: LogMark | undefined): Promise<CreatedWebhook>;
  update(id: Int64, changes: WebhookChanges, at: number, expected: Expectation<Webhook>): Promise<Webhook>;
  delete(id: Int64, expected: Expectation<Webhook>): Promise<void>;
  /** Without a secret, only replays the stored outcome of a repeated request; throws NotFound if there is none. */
  rotate(
    id: Int64,
    rotation: { readonly at: number; readonly retiresAt: number },
    secret: WebhookSecret | undefined,
    expected: Expectation<Webhook>,
  ): Promise<CreatedWebhook>;
  /** Moves the webhook back to the mark, and deletes its parked events. */
  replay(id: Int64, after: LogMark | undefined, at: number): Promise<Webhook>;
  /** Schedules another delivery at once. Throws Conflict for a test, and Gone if the event was deleted. */
  retry(id: Int64, deliveryId: Int64, at: number): Promise<Delivery>;
  listDeliveries(id: Int64, limit: number): Awaitable<readonly Delivery[]>;
  getDelivery(id: Int64): Awaitable<Delivery | undefined>;
  beginDelivery(id: Int64, delivery: NewDelivery): Promise<Delivery>;
  /** Returns undefined if the delivery has been deleted. */
  finishDelivery(id: number, delivery: NewDelivery): Promise<Delivery | undefined>;
  getSecrets(id: Int64): Awaitable<WebhookSecrets | undefined>;
  /** Renews the owner's leases and acquires free ones, except for `excludedIds`. Returns all webhooks that the owner now leases. */
  acquireLeases(
    owner: string,
    now: number,
    until: number,
    excludedIds: readonly number[],
  ): Promise<readonly LeasedWebhook[]>;
  releaseLeases(owner: string, except: readonly number[]): Promise<void>;
  listParked(id: number): Awaitable<readonly ParkedEvent[]>;
  /** Saves nothing and returns false if the lease is lost or the webhook has changed. */
  saveProgress(lease: WebhookLease, progress: WebhookProgress): Promise<boolean>;
}

export interface WebhookSecret {
  /** Encrypted with a key of the service. */
  readonly sealed: string;
  /** Encrypted for the client, so that a repeated request can return the secret again. */
  readonly sealedForMaker?: string | undefined;
}

export type CreatedWebhook = Webhook & Pick<WebhookSecret, "sealedForMaker">;

export interface WebhookSecrets {
  readonly secret: string;
  readonly previousSecret: string | null;
}

export interface LeasedWebhook extends Webhook, WebhookSecrets {
  /** Every event that the webhook receives, up to this position, was delivered or parked. */
  readonly position: number;
  /** The id of the event at that position; empty before the first event. */
  readonly eventId: string;
  readonly revision: number;
}

export interface WebhookLease {
  readonly id: number;
  readonly owner: string;
  readonly revision: number;
}

export interface WebhookProgress {
  readonly reached?: LogMark | undefined;
  readonly parked: readonly ParkedEvent[];
  readonly unparked: readonly number[];
  readonly deliveries: readonly NewDelivery[];
  readonly failingSince: number | null;
  readonly disabled?: { readonly reason: DisabledReason; readonly at: number } | undefined;
}

export interface KeySecret {
  readonly hash: Uint8Array;
  /** Encrypted for the client, so that a repeated request can return the key again. */
  readonly sealed?: string | undefined;
}

export type CreatedKey = Key & Pick<KeySecret, "sealed">;

export interface QuotaStore {
  /** Publishes the uses of one process, reserves more for it, and returns the uses of the other processes. */
  exchange(request: QuotaRequest): Promise<QuotaResponse>;
}

export interface QuotaRequest {
  /** A key's id; 0 for the configured key. */
  readonly key: number;
  readonly process: string;
  /** All uses of the process that still count, including reserved ones. */
  readonly uses: readonly QuotaUse[];
  /** Number of further uses to reserve, as far as `limit` allows. */
  readonly wanted: number;
  /** Expiry of the reservation. A reserved use counts as a use at this time until it is released. */
  readonly reservedUntil: number;
  readonly limit: number;
  /** Uses up to this time no longer count. */
  readonly cutoff: number;
}

export interface QuotaUse {
  readonly at: number;
  readonly count: number;
}

interface QuotaResponse {
  readonly reserved: number;
  readonly others: readonly QuotaUse[];
  readonly processCount: number;
}

/** Copies whole tables from one store to another. Each method throws StoreOpenError if the database user lacks the right. */
export interface Transfer {
  count(table: Table): Awaitable<number>;
  /** Returns rows in the order of their key. */
  read(table: Table, after: Row | undefined, limit: number): Awaitable<Row[]>;
  /** Inserts rows or, if their keys exist, overwrites them. */
  write(table: Table, rows: readonly Row[]): Promise<void>;
  lastIds(): Awaitable<LastIds>;
  /** Prevents each table from assigning ids up to its given id. */
  reserveIds(last: LastIds): Promise<void>;
}

/** The highest id that each table has ever assigned. */
export type LastIds = Readonly<Record<string, number>>;

export interface KeyUse {
  readonly id: number;
  readonly at: number;
}

export interface MigrationPlan {
  /** With `isOnline`, programs of older versions can keep serving during the migration. */
  readonly pending: readonly { readonly name: string; readonly isOnline: boolean }[];
  /** True if the schema is of a newer version that this program still works with. */
  readonly isNewer: boolean;
  readonly missingGrants: readonly string[];
}

export interface StoreTelemetry {
  readonly note: Note;
  readonly metrics: Registry;
  /** Statements that take longer are logged, without their values. */
  readonly slowStatementMs: number;
}

export type Note = (
  level: "info" | "warn" | "error",
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** Thrown if the database cannot be used in its present state. The message is one line for the operator. */
export class StoreOpenError extends Error {
  override readonly name = "StoreOpenError";

  constructor(
    message: string,
    /** True if the cause is an unreachable server, so that a retry may succeed. */
    readonly isUnreachable = false,
  ) {
    super(message);
  }
}
