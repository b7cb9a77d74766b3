import type { Int64 } from "../../base/int64.ts";
import type { ResourceFields } from "../../domain/fields.ts";
import type { ParkedEvent } from "../../domain/webhook.ts";
import type { StoreReads } from "../assemble-store.ts";
import { toOrderConditions, toPetConditions } from "../filter.ts";
import type { ResourceTable } from "../resource-table.ts";
import { categoryTable, deliveryTable, keyTable, orderTable, petTable, webhookTable } from "../tables.ts";
import { listByName } from "./by-name.ts";
import { getRowDecoder, type Row, readOne, readPage } from "./pages.ts";
import type { Query } from "./query.ts";

/** Parked events are read from the primary: a standby may not show yet which events this instance has just parked. */
export function createStoreReads(read: Query, readPrimary: Query): StoreReads {
  const get =
    <Fields extends ResourceFields>(table: ResourceTable<Fields>) =>
    (id: Int64) =>
      readOne(read, table, id);
  return {
    pets: {
      list: (filter, page) =>
        filter.name === undefined
          ? readPage(read, petTable, toPetConditions(filter), page)
          : listByName(read, petTable, filter.name, page),
      get: get(petTable),
    },
    orders: {
      list: (filter, page) => readPage(read, orderTable, toOrderConditions(filter), page),
      get: get(orderTable),
    },
    categories: {
      list: ({ name }, page) =>
        name === undefined ? readPage(read, categoryTable, [], page) : listByName(read, categoryTable, name, page),
      get: get(categoryTable),
    },
    keys: {
      list: (page) => readPage(read, keyTable, [], page),
      get: get(keyTable),
      async findByHash(hash) {
        const [row] = await read<Row>(`SELECT ${keyTable.selected} FROM ${read.schema}.keys WHERE hash = $1`, [hash]);
        return row && getRowDecoder(keyTable)(row);
      },
    },
    webhooks: {
      list: (page) => readPage(read, webhookTable, [], page),
      get: get(webhookTable),
      getDelivery: get(deliveryTable),
      async listDeliveries(id, limit) {
        const rows = await read<Row>(
          `SELECT ${deliveryTable.selected} FROM ${read.schema}.webhook_deliveries WHERE webhook = $1
           ORDER BY webhook DESC, id DESC LIMIT $2`,
          [String(id), limit],
        );
        return rows.map(getRowDecoder(deliveryTable));
      },
      async getSecrets(id) {
        const text = `SELECT secret, previous_secret AS "previousSecret" FROM ${read.schema}.webhooks WHERE id = $1`;
        const [row] = await read<{ secret: string; previousSecret: string | null }>(text, [String(id)]);
        return row;
      },
      async listParked(id) {
        return await readPrimary<ParkedEvent>(
          `SELECT position::float8 AS position, subject, attempts::float8 AS attempts, next_at::float8 AS "nextAt"
           FROM ${readPrimary.schema}.webhook_parked AS parked WHERE webhook = $1 ORDER BY parked.position`,
          [id],
        );
      },
    },
  };
}
