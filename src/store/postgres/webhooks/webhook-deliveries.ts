import type { Int64 } from "../../../base/int64.ts";
import { type Field, namesOf } from "../../../domain/fields.ts";
import { type Delivery, deliveryFields, type NewDelivery } from "../../../domain/webhook.ts";
import { columnsOf, isInteger } from "../../resource-table.ts";
import { deliveryTable } from "../../tables.ts";
import { mostDeliveries } from "../../webhooks.ts";
import { type Row, sourceOf } from "../pages.ts";
import { arrayOf, type Query } from "../query.ts";
import type { Of } from "./webhook-rows.ts";

/** The newest first. */
export async function readDeliveries(query: Query, webhook: Int64, limit: number): Promise<Delivery[]> {
  const rows = await query<Row>(
    `SELECT ${deliverySource.columns} FROM store.webhook_deliveries WHERE webhook = $1 ORDER BY webhook DESC, id DESC LIMIT $2`,
    [String(webhook), limit],
  );
  return rows.map(deliverySource.toItem);
}

/** Adds them, and removes those of their webhooks that are too many then. */
export async function addDeliveries(query: Query, deliveries: readonly Of<NewDelivery>[]): Promise<Delivery[]> {
  const rows = deliveries.map((delivery) => insertedNames.map((name) => delivery[name]));
  const added = await query<Row>(
    `INSERT INTO store.webhook_deliveries (${insertedColumns})
     SELECT ${castColumns}
     FROM (
       SELECT place, ${insertedNames.map((_, index) => `fields->>${index}`).join(", ")}
       FROM json_array_elements($1::text::json) WITH ORDINALITY AS given (fields, place)
     ) AS new (place, ${insertedColumns}) ORDER BY place RETURNING ${deliverySource.columns}`,
    [JSON.stringify(rows)],
  );
  await query(
    `DELETE FROM store.webhook_deliveries USING unnest($1::bigint[]) AS given (webhook), LATERAL (
       SELECT kept.id FROM store.webhook_deliveries AS kept WHERE kept.webhook = given.webhook
       ORDER BY kept.webhook DESC, kept.id DESC LIMIT 1 OFFSET ${mostDeliveries}
     ) AS beyond WHERE webhook_deliveries.webhook = given.webhook AND webhook_deliveries.id <= beyond.id`,
    [arrayOf([...new Set(deliveries.map(({ webhook }) => webhook))], "INT8")],
  );
  return added.map(deliverySource.toItem);
}

/** Undefined if it is no longer kept. */
export async function endDelivery(
  query: Query,
  id: number,
  { outcome, status, error, durationMs }: NewDelivery,
): Promise<Delivery | undefined> {
  const [row] = await query<Row>(
    `UPDATE store.webhook_deliveries SET outcome = $2, status = $3, error = $4, duration_ms = $5 WHERE id = $1
     RETURNING ${deliverySource.columns}`,
    [id, outcome, status, error, durationMs],
  );
  return row && deliverySource.toItem(row);
}

export const deliverySource = sourceOf(deliveryTable);

const { id: _id, ...insertedFields } = deliveryFields;
const insertedNames = namesOf(insertedFields);
const insertedColumns = columnsOf(insertedFields).join(", ");
/** The values of a JSON array are text. */
const castColumns = Object.entries<Field>(insertedFields)
  .map(([name, { kind }]) => `${columnsOf({ [name]: { kind } })}${isInteger(kind) ? "::bigint" : ""}`)
  .join(", ");
