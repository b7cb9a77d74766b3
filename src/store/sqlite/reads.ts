import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import type { Category } from "../../domain/category.ts";
import type { Key } from "../../domain/key.ts";
import type { Order } from "../../domain/order.ts";
import { type Inventory, maxInventoryCount, type Pet, type PetStatus, petStatuses } from "../../domain/pet.ts";
import type { Delivery, ParkedEvent, Webhook } from "../../domain/webhook.ts";
import type { StoreReads } from "../assemble-store.ts";
import { toOrderConditions, toPetConditions } from "../filter.ts";
import type { EventStore, Store, Transfer, WebhookSecrets } from "../store.ts";
import { categoryTable, deliveryTable, keyTable, orderTable, petTable, webhookTable } from "../tables.ts";
import { listByName } from "./by-name.ts";
import { prepareEventReads } from "./events.ts";
import { PageReader } from "./pages.ts";
import { prepareTransferReads } from "./transfer.ts";

export type Reads = ReturnType<typeof prepareReads>;

interface AllReads extends StoreReads {
  readonly counts: Pick<Store, "inventory" | "inventoryOf">;
  readonly events: Omit<EventStore, "watch">;
  readonly transfer: Pick<Transfer, "count" | "read" | "lastIds">;
}

export function prepareReads(database: Database) {
  const pets = new PageReader<Pet>(database, petTable);
  const orders = new PageReader<Order>(database, orderTable);
  const categories = new PageReader<Category>(database, categoryTable);
  const keys = new PageReader<Key>(database, keyTable);
  const keyByHash = database.prepare<Key, [Uint8Array]>(`SELECT ${keyTable.selected} FROM keys WHERE hash = ?`);
  return {
    pets: {
      list: (filter, page) =>
        filter.name === undefined ? pets.list(toPetConditions(filter), page) : listByName(pets, filter.name, page),
      get: (id) => pets.get(id),
    },
    orders: {
      list: (filter, page) => orders.list(toOrderConditions(filter), page),
      get: (id) => orders.get(id),
    },
    categories: {
      list: ({ name }, page) => (name === undefined ? categories.list([], page) : listByName(categories, name, page)),
      get: (id) => categories.get(id),
    },
    keys: {
      list: (page) => keys.list([], page),
      get: (id) => keys.get(id),
      findByHash: (hash) => keyByHash.get(hash) ?? undefined,
    },
    webhooks: prepareWebhookReads(database),
    counts: { inventory: prepareInventory(database), inventoryOf: prepareCategoryInventory(database) },
    events: prepareEventReads(database),
    transfer: prepareTransferReads(database),
  } satisfies AllReads;
}

function prepareWebhookReads(database: Database) {
  const webhooks = new PageReader<Webhook>(database, webhookTable);
  const deliveries = new PageReader<Delivery>(database, deliveryTable);
  const latest = database.prepare<Delivery, [Int64, number]>(
    `SELECT ${deliveryTable.selected} FROM webhook_deliveries WHERE webhook = ? ORDER BY id DESC LIMIT ? + 0`,
  );
  const secrets = database.prepare<WebhookSecrets, [Int64]>(
    "SELECT secret, previous_secret AS previousSecret FROM webhooks WHERE id = ?",
  );
  const parked = database.prepare<ParkedEvent, [Int64]>(
    "SELECT position, subject, attempts, next_at AS nextAt FROM webhook_parked WHERE webhook = ? ORDER BY position",
  );
  return {
    list: (page) => webhooks.list([], page),
    get: (id) => webhooks.get(id),
    listDeliveries: (id, limit) => latest.all(id, limit),
    getDelivery: (id) => deliveries.get(id),
    getSecrets: (id) => secrets.get(id) ?? undefined,
    listParked: (id) => parked.all(id),
  } satisfies StoreReads["webhooks"];
}

export function prepareInventory(database: Database): () => Inventory {
  const counts = database.prepare<{ status: PetStatus; count: number }, []>("SELECT status, count FROM inventory");
  return () => {
    const inventory = { available: 0, pending: 0, sold: 0 };
    for (const { status, count } of counts.all()) inventory[status] = count;
    return inventory;
  };
}

function prepareCategoryInventory(database: Database): (categoryId: Int64) => Inventory {
  const counts = petStatuses.map(
    (status) =>
      `(SELECT count(*) FROM (SELECT 1 FROM pets INDEXED BY pets_by_category_and_status WHERE category_id = ?1 AND status = '${status}' LIMIT ${maxInventoryCount})) AS ${status}`,
  );
  const count = database.prepare<Inventory, [Int64]>(`SELECT ${counts.join(", ")}`);
  return (categoryId) => count.get(categoryId) as Inventory;
}
