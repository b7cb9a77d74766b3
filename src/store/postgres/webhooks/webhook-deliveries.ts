import type { Int64 } from "../../../base/int64.ts";
import type { Delivery, DeliveryOutcome, NewDelivery } from "../../../domain/webhook.ts";
import { mostDeliveries } from "../../webhooks.ts";
import { optionalNumber, type Source } from "../pages.ts";
import { arrayOf, type Query } from "../query.ts";
import type { Of } from "./webhook-rows.ts";

/** The newest first. */
export async function readDeliveries(query: Query, webhook: Int64, limit: number): Promise<Delivery[]> {
  const rows = await query<DeliveryRow>(
    `SELECT ${deliverySource.columns} FROM store.webhook_deliveries WHERE webhook = $1 ORDER BY webhook DESC, id DESC LIMIT $2`,
    [String(webhook), limit],
  );
  return rows.map(deliverySource.toItem);
}

/** Adds them, and removes those of their webhooks that are too many then. */
export async function addDeliveries(query: Query, deliveries: readonly Of<NewDelivery>[]): Promise<Delivery[]> {
  const rows = deliveries.map((delivery) => deliveryFields.map((field) => delivery[field]));
  const added = await query<DeliveryRow>(
    `INSERT INTO store.webhook_deliveries (${deliveryColumns})
     SELECT webhook::bigint, position::bigint, event_id, type, subject, attempt::bigint, at::bigint, outcome, status::bigint,
            error, duration_ms::bigint, next_at::bigint
     FROM (
       SELECT place, ${deliveryFields.map((_, index) => `fields->>${index}`).join(", ")}
       FROM json_array_elements($1::text::json) WITH ORDINALITY AS given (fields, place)
     ) AS new (place, ${deliveryColumns}) ORDER BY place RETURNING ${deliverySource.columns}`,
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
  const [row] = await query<DeliveryRow>(
    `UPDATE store.webhook_deliveries SET outcome = $2, status = $3, error = $4, duration_ms = $5 WHERE id = $1
     RETURNING ${deliverySource.columns}`,
    [id, outcome, status, error, durationMs],
  );
  return row && deliverySource.toItem(row);
}

export const deliverySource: Source<DeliveryRow, Delivery> = {
  table: "store.webhook_deliveries",
  columns: "id, webhook, position, event_id, type, subject, attempt, at, outcome, status, error, duration_ms, next_at",
  toItem: (row) => ({
    id: Number(row.id),
    webhook: Number(row.webhook),
    position: optionalNumber(row.position),
    eventId: row.event_id,
    type: row.type,
    subject: row.subject,
    attempt: Number(row.attempt),
    at: Number(row.at),
    outcome: row.outcome,
    status: optionalNumber(row.status),
    error: row.error,
    durationMs: optionalNumber(row.duration_ms),
    nextAt: optionalNumber(row.next_at),
  }),
};

const deliveryFields = [
  "webhook",
  "position",
  "eventId",
  "type",
  "subject",
  "attempt",
  "at",
  "outcome",
  "status",
  "error",
  "durationMs",
  "nextAt",
] as const;
/** Of the fields above, in their order. */
const deliveryColumns =
  "webhook, position, event_id, type, subject, attempt, at, outcome, status, error, duration_ms, next_at";

interface DeliveryRow {
  readonly id: string;
  readonly webhook: string;
  readonly position: string | null;
  readonly event_id: string;
  readonly type: string;
  readonly subject: string;
  readonly attempt: string;
  readonly at: string;
  readonly outcome: DeliveryOutcome;
  readonly status: string | null;
  readonly error: string | null;
  readonly duration_ms: string | null;
  readonly next_at: string | null;
}
