import type { Int64 } from "../../base/int64.ts";
import type { ResourceFields } from "../../domain/fields.ts";
import type { StoreReads } from "../assemble-store.ts";
import { orderConditions, petConditions } from "../filter.ts";
import type { ResourceTable } from "../resource-table.ts";
import { categoryTable, deliveryTable, keyTable, orderTable, petTable, webhookTable } from "../tables.ts";
import { listByName } from "./by-name.ts";
import { type Row, readOne, readPage, sourceOf } from "./pages.ts";
import type { Query } from "./query.ts";

/** `readPrimary` is for what the instance has just written itself. */
export function storeReads(read: Query, readPrimary: Query): StoreReads {
  const [pets, orders, categories] = [sourceOf(petTable), sourceOf(orderTable), sourceOf(categoryTable)];
  const [keys, webhooks, deliveries] = [sourceOf(keyTable), sourceOf(webhookTable), sourceOf(deliveryTable)];
  const get =
    <Fields extends ResourceFields>(table: ResourceTable<Fields>) =>
    (id: Int64) =>
      readOne(read, sourceOf(table), id);
  return {
    pets: {
      list: (filter, page) =>
        filter.name === undefined
          ? readPage(read, pets, petConditions(filter), page)
          : listByName(read, pets, filter.name, page),
      get: get(petTable),
    },
    orders: {
      list: (filter, page) => readPage(read, orders, orderConditions(filter), page),
      get: get(orderTable),
    },
    categories: {
      list: ({ name }, page) =>
        name === undefined ? readPage(read, categories, [], page) : listByName(read, categories, name, page),
      get: get(categoryTable),
    },
    keys: {
      list: (page) => readPage(read, keys, [], page),
      get: get(keyTable),
      async findByHash(hash) {
        const [row] = await read<Row>(`SELECT ${keys.columns} FROM ${read.schema}.keys WHERE hash = $1`, [hash]);
        return row && keys.toItem(row);
      },
    },
    webhooks: {
      list: (page) => readPage(read, webhooks, [], page),
      get: get(webhookTable),
      getDelivery: get(deliveryTable),
      async listDeliveries(id, limit) {
        const rows = await read<Row>(
          `SELECT ${deliveries.columns} FROM ${read.schema}.webhook_deliveries WHERE webhook = $1
           ORDER BY webhook DESC, id DESC LIMIT $2`,
          [String(id), limit],
        );
        return rows.map(deliveries.toItem);
      },
      async getSecrets(id) {
        const text = `SELECT secret, previous_secret AS "previousSecret" FROM ${read.schema}.webhooks WHERE id = $1`;
        const [row] = await read<{ secret: string; previousSecret: string | null }>(text, [String(id)]);
        return row;
      },
      async listParked(id) {
        const rows = await readPrimary<Record<"position" | "subject" | "attempts" | "nextAt", string>>(
          `SELECT position, subject, attempts, next_at AS "nextAt" FROM ${readPrimary.schema}.webhook_parked
           WHERE webhook = $1 ORDER BY position`,
          [id],
        );
        return rows.map(({ position, subject, attempts, nextAt }) => ({
          position: Number(position),
          subject,
          attempts: Number(attempts),
          nextAt: Number(nextAt),
        }));
      },
    },
  };
}
