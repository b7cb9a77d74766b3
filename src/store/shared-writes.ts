import type { Awaitable } from "../base/awaitable.ts";
import { timeOfChange } from "../base/clock.ts";
import type { Int64 } from "../base/int64.ts";
import { notFound } from "../domain/errors.ts";
import {
  type Change,
  categoryNamed,
  type IdentifiedChange,
  keyChanged,
  keyCreated,
  orderClosed,
  orderPlaced,
  petUpdated,
  toDeletion,
  webhookDisabled,
} from "../domain/event.ts";
import { type Expectation, requireExpected } from "../domain/expectation.ts";
import { namesOf, pick, type ResourceFields, type ValuesOf } from "../domain/fields.ts";
import {
  createSuccessor,
  type Key,
  type NewKey,
  requireActive,
  requireGrantable,
  requireLastingAdmin,
} from "../domain/key.ts";
import { closeOrder, petStatusOfOrder, reservePet } from "../domain/order.ts";
import { changePet, type Pet, requireNoOpenOrder } from "../domain/pet.ts";
import {
  changeWebhook,
  type Delivery,
  maxWebhooks,
  type NewDelivery,
  type ParkedEvent,
  requireLoggedDelivery,
  requireLoggedEvent,
  requireRoomForWebhook,
  requireWebhook,
  type Webhook,
  webhookFields,
} from "../domain/webhook.ts";
import type { ColumnValues, ResourceTable } from "./resource-table.ts";
import type { CreatedKey, KeySecret, KeyUse, Store } from "./store.ts";
import { categoryTable, deliveryTable, keyTable, orderTable, petTable, webhookTable } from "./tables.ts";

/** A write in one transaction, which yields the promises to wait for. A write throws a ServiceError only before it has changed anything. */
export type Steps<Result> = Generator<Promise<unknown>, Result, unknown>;

/** The statements of one transaction. A statement that changes something also appends the events of the change. */
export interface Transaction {
  find<Fields extends ResourceFields>(table: ResourceTable<Fields>, id: Int64): Awaitable<ValuesOf<Fields> | undefined>;
  /** Locks the resource until the transaction ends. */
  lock<Fields extends ResourceFields>(table: ResourceTable<Fields>, id: Int64): Awaitable<ValuesOf<Fields> | undefined>;
  /** Counts rows, up to a limit. Transactions that count the same table are serialized. */
  count(table: "keys" | "webhooks", limit: number): Awaitable<number>;
  insert<Fields extends ResourceFields>(
    table: ResourceTable<Fields>,
    values: ColumnValues,
    change?: Change,
  ): Awaitable<ValuesOf<Fields>>;
  /** Updates the columns that have values. `alsoSet` contains further assignments in SQL, such as `revision = revision + 1`. */
  update(
    table: ResourceTable,
    id: Int64,
    values: ColumnValues,
    changes: readonly IdentifiedChange[],
    alsoSet?: string,
  ): Awaitable<void>;
  /** Deletes the rows that have the value in `column`, by default `id`. */
  delete(table: string, value: Int64, changes?: readonly IdentifiedChange[], column?: string): Awaitable<void>;
  findOpenOrderId(pet: Pet): Awaitable<number | undefined>;
  listAdminKeys(): Awaitable<readonly Key[]>;
  recordKeyUses(uses: readonly KeyUse[]): Awaitable<void>;
  eventIdAt(position: number): Awaitable<string | undefined>;
  /** Parks an event. If the event is parked already, its next attempt may only become earlier. */
  scheduleRetry(webhook: number, event: ParkedEvent): Awaitable<void>;
  /** Adds a delivery, and removes the oldest ones beyond `maxDeliveries`. */
  addDelivery(webhook: number, delivery: NewDelivery): Awaitable<Delivery>;
}

function* wait<Result>(result: Awaitable<Result>): Steps<Result> {
  return result instanceof Promise ? ((yield result) as Result) : result;
}

export async function runSteps<Result>(steps: Steps<Result>): Promise<Result> {
  let step = steps.next();
  while (!step.done) step = steps.next(await step.value);
  return step.value;
}

export function runStepsNow<Result>(steps: Steps<Result>): Result {
  const step = steps.next();
  if (!step.done) throw new Error("A synchronous transaction had to wait.");
  return step.value;
}

type WritesOf<Part> = {
  readonly [Name in keyof Part]?: Part[Name] extends (...values: infer Values) => infer Result
    ? (transaction: Transaction, ...values: Values) => Steps<Awaited<Result>>
    : never;
};

export const sharedWrites = {
  pets: {
    *update(transaction, id, changes, expected) {
      const pet = yield* lockPet(transaction, id, expected);
      const changed = changePet(pet, changes, yield* wait(transaction.findOpenOrderId(pet)));
      yield* wait(transaction.update(petTable, pet.id, changed, petUpdated(pet, changed)));
      return changed;
    },
    *delete(transaction, id, expected) {
      const pet = yield* lockPet(transaction, id, expected);
      requireNoOpenOrder(pet.id, yield* wait(transaction.findOpenOrderId(pet)));
      yield* wait(transaction.delete("pets", pet.id, toDeletion("pet.deleted", pet)));
    },
  },

  orders: {
    *place(transaction, order, at) {
      const available = yield* wait(transaction.lock(petTable, order.petId));
      const pet = reservePet(available, order.petId);
      yield* changeStatus(transaction, available, pet.status);
      const placed = { ...order, petId: pet.id, status: "placed", createdAt: at, updatedAt: at } as const;
      return yield* wait(transaction.insert(orderTable, placed, orderPlaced(placed)));
    },
    *close(transaction, id, status, at, expected) {
      const unlockedOrder = requireFound(yield* wait(transaction.find(orderTable, id)), "order", id, expected);
      closeOrder(unlockedOrder, status, at);
      // Until the lock is acquired, another transaction may close the order and then delete the animal.
      const pet = yield* wait(transaction.lock(petTable, unlockedOrder.petId));
      const current = requireFound(yield* wait(transaction.find(orderTable, id)), "order", id, expected);
      const order = closeOrder(current, status, at);
      yield* changeStatus(transaction, pet, petStatusOfOrder[status]);
      const changed = { status, updatedAt: order.updatedAt };
      yield* wait(transaction.update(orderTable, order.id, changed, orderClosed(current, order)));
      return order;
    },
  },

  categories: {
    *put(transaction, category, expected) {
      const current = yield* wait(transaction.lock(categoryTable, category.id));
      requireExpected(current, expected);
      const changes = categoryNamed(current, category);
      if (current) yield* wait(transaction.update(categoryTable, category.id, category, changes));
      else yield* wait(transaction.insert(categoryTable, category, changes[0]));
      return current === undefined;
    },
    *delete(transaction, id, expected) {
      const current = requireFound(yield* wait(transaction.lock(categoryTable, id)), "category", id, expected);
      yield* wait(transaction.delete("categories", id, toDeletion("category.unnamed", current)));
    },
  },

  keys: {
    *create(transaction, key, secret, maker) {
      requireGrantable(key, maker);
      return yield* createKey(transaction, key, secret);
    },
    *createFirst(transaction, key, secret) {
      const count = yield* wait(transaction.count("keys", 1));
      return count > 0 ? undefined : yield* createKey(transaction, key, secret);
    },
    *rotate(transaction, id, rotation, secret, expected) {
      const old = requireActive(yield* wait(transaction.lock(keyTable, id)), id, rotation.at, expected);
      const successor = createSuccessor(old, rotation);
      if (rotation.keepLastAdmin) {
        requireLastingAdmin(old, yield* wait(transaction.listAdminKeys()), rotation.at, successor);
      }
      const rotatedAt = timeOfChange(rotation.at, old.createdAt);
      const expiresAt = Math.min(old.expiresAt ?? rotation.retiresAt, rotation.retiresAt);
      const changes = keyChanged("key.rotated", old, { ...old, rotatedAt, expiresAt }, rotation.at);
      yield* wait(transaction.update(keyTable, old.id, { rotatedAt, expiresAt }, changes));
      return yield* createKey(transaction, successor, secret, old.family);
    },
    *revoke(transaction, id, at, keepLastAdmin, expected) {
      const key = requireFound(yield* wait(transaction.lock(keyTable, id)), "key", id, expected);
      if (keepLastAdmin) requireLastingAdmin(key, yield* wait(transaction.listAdminKeys()), at);
      const revokedAt = key.revokedAt ?? timeOfChange(at, key.createdAt, key.rotatedAt);
      const revoked = { ...key, revokedAt };
      yield* wait(transaction.update(keyTable, key.id, { revokedAt }, keyChanged("key.revoked", key, revoked, at)));
      return revoked;
    },
    recordUse: (transaction, uses) => wait(transaction.recordKeyUses(uses)),
  },

  webhooks: {
    *create(transaction, webhook, { sealed, sealedForMaker }, after) {
      requireRoomForWebhook(yield* wait(transaction.count("webhooks", maxWebhooks)));
      const values = { ...webhook, status: "enabled", updatedAt: webhook.createdAt, ...startAfter(after) };
      const row = { ...values, secret: sealed, revision: 1, leaseUntil: 0 };
      const created = yield* wait(transaction.insert(webhookTable, row));
      return { ...created, sealedForMaker };
    },
    *update(transaction, id, changes, at, expected) {
      const webhook = requireWebhook(yield* wait(transaction.lock(webhookTable, id)), id, expected);
      const changed = changeWebhook(webhook, changes, at);
      yield* wait(saveWebhook(transaction, webhook, changed));
      return changed;
    },
    *delete(transaction, id, expected) {
      const webhook = requireWebhook(yield* wait(transaction.lock(webhookTable, id)), id, expected);
      for (const table of ["webhook_parked", "webhook_deliveries"]) {
        yield* wait(transaction.delete(table, webhook.id, [], "webhook"));
      }
      yield* wait(transaction.delete("webhooks", webhook.id));
    },
    *rotate(transaction, id, { at, retiresAt }, secret, expected) {
      // A caller that has found no webhook passes no secret, although the webhook may have been created meanwhile.
      if (!secret) throw notFound("webhook", id);
      const webhook = requireWebhook(yield* wait(transaction.lock(webhookTable, id)), id, expected);
      const changed = { retiresAt, updatedAt: timeOfChange(at, webhook.createdAt) };
      const assignments = `previous_secret = secret, ${nextRevision}`;
      yield* wait(transaction.update(webhookTable, webhook.id, { ...changed, secret: secret.sealed }, [], assignments));
      return { ...webhook, ...changed, sealedForMaker: secret.sealedForMaker };
    },
    *replay(transaction, id, after, at) {
      const webhook = requireWebhook(yield* wait(transaction.lock(webhookTable, id)), id);
      yield* wait(transaction.delete("webhook_parked", webhook.id, [], "webhook"));
      const updatedAt = timeOfChange(at, webhook.createdAt);
      yield* wait(transaction.update(webhookTable, webhook.id, { ...startAfter(after), updatedAt }, [], nextRevision));
      return { ...webhook, updatedAt };
    },
    *retry(transaction, id, deliveryId, at) {
      const webhook = requireWebhook(yield* wait(transaction.lock(webhookTable, id)), id);
      const candidate = yield* wait(transaction.find(deliveryTable, deliveryId));
      const delivery = requireLoggedDelivery(candidate?.webhook === webhook.id ? candidate : undefined, deliveryId);
      const { position, subject } = delivery;
      requireLoggedEvent(delivery, yield* wait(transaction.eventIdAt(position)));
      yield* wait(transaction.scheduleRetry(webhook.id, { position, subject, attempts: 0, nextAt: at }));
      yield* wait(transaction.update(webhookTable, webhook.id, {}, [], nextRevision));
      return { ...delivery, nextAt: at };
    },
    *beginDelivery(transaction, id, delivery) {
      const webhook = requireWebhook(yield* wait(transaction.lock(webhookTable, id)), id);
      return yield* wait(transaction.addDelivery(webhook.id, delivery));
    },
    *finishDelivery(transaction, id, { outcome, status, error, durationMs }) {
      const delivery = yield* wait(transaction.lock(deliveryTable, id));
      if (!delivery) return undefined;
      const ended = { outcome, status, error, durationMs };
      yield* wait(transaction.update(deliveryTable, id, ended, []));
      return { ...delivery, ...ended };
    },
  },
} as const satisfies { readonly [Part in WritingPart]: WritesOf<Store[Part]> };

export type WritingPart = "pets" | "orders" | "categories" | "keys" | "webhooks";

/** A write in a form that can be sent to SQLite's writer thread. */
export type SharedWrite = readonly [part: WritingPart, method: string, parameters: readonly unknown[]];

export function stepsFor([part, method, parameters]: SharedWrite, transaction: Transaction): Steps<unknown> {
  const writes = sharedWrites[part] as unknown as Record<string, (...values: unknown[]) => Steps<unknown>>;
  const write = writes[method];
  if (!write) throw new Error(`There is no write ${part}.${method}.`);
  return write(transaction, ...parameters);
}

/** Saves a changed webhook. The new revision prevents deliveries that began before the change from saving their progress. */
export function saveWebhook(transaction: Transaction, before: Webhook, after: Webhook): Awaitable<void> {
  const fields = pick(after, namesOf(webhookFields));
  return transaction.update(webhookTable, after.id, fields, webhookDisabled(before, after), nextRevision);
}

const nextRevision = "revision = revision + 1";

function startAfter(after: { readonly position: number; readonly id: string } | undefined): ColumnValues {
  return { position: after?.position ?? 0, eventId: after?.id ?? "" };
}

function* lockPet(transaction: Transaction, id: Int64, expected: Expectation<Pet>): Steps<Pet> {
  return requireFound(yield* wait(transaction.lock(petTable, id)), "animal", id, expected);
}

/** Changes the status of an animal, unless it was deleted. */
function* changeStatus(transaction: Transaction, pet: Pet | undefined, status: Pet["status"]): Steps<void> {
  if (pet) yield* wait(transaction.update(petTable, pet.id, { status }, petUpdated(pet, { ...pet, status })));
}

function requireFound<Item extends object>(
  item: Item | undefined,
  noun: Parameters<typeof notFound>[0],
  id: Int64,
  expected: Expectation<Item>,
): Item {
  if (!item) throw notFound(noun, id);
  requireExpected(item, expected);
  return item;
}

function* createKey(
  transaction: Transaction,
  { name, scope, createdAt, expiresAt }: NewKey,
  { hash, sealed }: KeySecret,
  family: number | null = null,
): Steps<CreatedKey> {
  const created = { name, scope, createdAt, expiresAt, rotatedAt: null, revokedAt: null, lastUsedAt: null };
  const key = yield* wait(
    transaction.insert(keyTable, { ...created, hash, line: family }, keyCreated(created, createdAt)),
  );
  return { ...key, sealed };
}

/** Maximum number of stored deliveries per webhook. */
export const maxDeliveries = 100;

/** Maximum duration of a lease: a lease that ends later was written by a wrong clock, and counts as free. */
export const maxLeaseMs = 60_000;
