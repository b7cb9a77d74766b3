import { webhookDisabled } from "../../../domain/event.ts";
import type { ParkedEvent, Webhook } from "../../../domain/webhook.ts";
import { webhookTable } from "../../tables.ts";
import type { EventInbox } from "../events/event-inbox.ts";
import { sourceOf } from "../pages.ts";
import type { Query } from "../query.ts";

export async function saveWebhook(query: Query, inbox: EventInbox, before: Webhook, after: Webhook): Promise<void> {
  const { id, url, types, description, status, disabledReason, failingSince, updatedAt } = after;
  await inbox.run(
    query,
    `UPDATE store.webhooks SET url = $2, types = $3, description = $4, status = $5, disabled_reason = $6,
       failing_since = $7, updated_at = $8, revision = revision + 1 WHERE id = $1`,
    [id, url, types, description, status, disabledReason, failingSince, updatedAt],
    webhookDisabled(before, after),
  );
}

/** What belongs to a webhook. */
export type Of<Part> = Part & { readonly webhook: number };

/** Parks events, none of them twice. `change` says what becomes of one that is parked already. */
export async function park(query: Query, parked: readonly Of<ParkedEvent>[], change: string): Promise<void> {
  await query(
    `INSERT INTO store.webhook_parked (webhook, position, subject, attempts, next_at)
     SELECT webhook, position, subject, attempts, "nextAt"
     FROM json_to_recordset($1::text::json)
       AS new (webhook bigint, position bigint, subject text, attempts bigint, "nextAt" bigint)
     ON CONFLICT (webhook, position) DO UPDATE SET ${change}`,
    [JSON.stringify(parked)],
  );
}

export const overwrite = "attempts = excluded.attempts, next_at = excluded.next_at";
export const hurry = "next_at = least(webhook_parked.next_at, excluded.next_at)";

export const webhookSource = sourceOf(webhookTable);

/** As they were sealed. */
export interface SecretRow {
  readonly secret: string;
  readonly previous_secret: string | null;
}
