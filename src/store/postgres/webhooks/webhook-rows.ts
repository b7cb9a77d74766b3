import { namesOf } from "../../../domain/fields.ts";
import { type Delivery, deliveryFields, type NewDelivery, type ParkedEvent } from "../../../domain/webhook.ts";
import { maxDeliveries } from "../../shared-writes.ts";
import { columnNames, deliveryTable } from "../../tables.ts";
import { getRowDecoder, type Row } from "../pages.ts";
import { type Query, toArray } from "../query.ts";

type OfWebhook<Part> = Part & { readonly webhook: number };

export async function park(query: Query, parked: readonly OfWebhook<ParkedEvent>[], onConflict: string): Promise<void> {
  await query(
    `INSERT INTO ${query.schema}.webhook_parked (webhook, position, subject, attempts, next_at)
     SELECT webhook, position, subject, attempts, "nextAt"
     FROM json_to_recordset($1::text::json)
       AS new (webhook bigint, position bigint, subject text, attempts bigint, "nextAt" bigint)
     ON CONFLICT (webhook, position) DO UPDATE SET ${onConflict}`,
    [JSON.stringify(parked)],
  );
}

export const overwriteAttempt = "attempts = excluded.attempts, next_at = excluded.next_at";
export const retrySooner = "next_at = least(webhook_parked.next_at, excluded.next_at)";

export async function addDeliveries(query: Query, deliveries: readonly OfWebhook<NewDelivery>[]): Promise<Delivery[]> {
  const rows = deliveries.map((delivery) => insertedNames.map((name) => delivery[name]));
  const added = await query<Row>(
    `INSERT INTO ${query.schema}.webhook_deliveries (${insertedColumns})
     SELECT ${castColumns}
     FROM (
       SELECT place, ${insertedNames.map((_, index) => `fields->>${index}`).join(", ")}
       FROM json_array_elements($1::text::json) WITH ORDINALITY AS given (fields, place)
     ) AS new (place, ${insertedColumns}) ORDER BY place RETURNING ${deliveryTable.selected}`,
    [JSON.stringify(rows)],
  );
  await query(
    `DELETE FROM ${query.schema}.webhook_deliveries USING unnest($1::bigint[]) AS given (webhook), LATERAL (
       SELECT kept.id FROM ${query.schema}.webhook_deliveries AS kept WHERE kept.webhook = given.webhook
       ORDER BY kept.webhook DESC, kept.id DESC LIMIT 1 OFFSET ${maxDeliveries}
     ) AS beyond WHERE webhook_deliveries.webhook = given.webhook AND webhook_deliveries.id <= beyond.id`,
    [toArray("INT8", [...new Set(deliveries.map(({ webhook }) => webhook))])],
  );
  return added.map(getRowDecoder(deliveryTable));
}

const { id: _id, ...insertedFields } = deliveryFields;
const insertedNames = namesOf(insertedFields);
const insertedColumns = columnNames(deliveryTable).slice(1).join(", ");
/** The values of a JSON array arrive as text. */
const castColumns = deliveryTable.columns
  .slice(1)
  .map(([name, type]) => (type === "integer" ? `${name}::bigint` : name))
  .join(", ");
