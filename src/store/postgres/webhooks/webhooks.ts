import { timeOfChange } from "../../../base/clock.ts";
import {
  changedWebhook,
  requireKept,
  requireLogged,
  requireRoomForWebhook,
  requireWebhook,
} from "../../../domain/webhook.ts";
import type { WebhookStore } from "../../store.ts";
import { requireSecret } from "../../webhooks.ts";
import type { EventInbox } from "../events/event-inbox.ts";
import { idAt } from "../events/events.ts";
import { type Row, readOne, readPage } from "../pages.ts";
import type { Query } from "../query.ts";
import type { Perform } from "../work.ts";
import { addDeliveries, deliverySource, endDelivery, readDeliveries } from "./webhook-deliveries.ts";
import type { WebhookLeases } from "./webhook-leases.ts";
import { hurry, park, type SecretRow, saveWebhook, webhookSource } from "./webhook-rows.ts";

export function webhookStore(read: Query, perform: Perform, inbox: EventInbox, leases: WebhookLeases): WebhookStore {
  return {
    ...leases,
    list: (page) => readPage(read, webhookSource, [], page),
    get: (id) => readOne(read, webhookSource, id),

    create: ({ url, types, description, createdAt }, { sealed, sealedForMaker }, after) =>
      perform(async (query) => {
        await lockCreates(query);
        const [found] = await query<{ count: string }>("SELECT count(*) AS count FROM store.webhooks");
        requireRoomForWebhook(Number(found?.count));
        const [row] = await query<Row>(
          `INSERT INTO store.webhooks
             (url, types, description, status, secret, position, event_id, revision, lease_until, created_at, updated_at)
           VALUES ($1, $2, $3, 'enabled', $4, $5, $6, 1, 0, $7, $7) RETURNING ${webhookSource.columns}`,
          [url, types, description, sealed, after?.position ?? 0, after?.id ?? "", createdAt],
        );
        if (!row) throw new Error("An insert returned no webhook.");
        return { ...webhookSource.toItem(row), sealedForMaker };
      }),

    update: (id, changes, at, expected) =>
      perform(async (query) => {
        const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id, expected);
        const changed = changedWebhook(webhook, changes, at);
        await saveWebhook(query, inbox, webhook, changed);
        return changed;
      }),

    delete: (id, expected) =>
      perform(async (query) => {
        const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id, expected);
        await query("DELETE FROM store.webhook_parked WHERE webhook = $1", [webhook.id]);
        await query("DELETE FROM store.webhook_deliveries WHERE webhook = $1", [webhook.id]);
        await query("DELETE FROM store.webhooks WHERE id = $1", [webhook.id]);
      }),

    rotate: (id, { at, retiresAt }, secret, expected) =>
      perform(async (query) => {
        const { sealed, sealedForMaker } = requireSecret(secret, id);
        const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id, expected);
        const updatedAt = timeOfChange(at, webhook.createdAt);
        await query(
          `UPDATE store.webhooks SET previous_secret = secret, secret = $2, retires_at = $3, updated_at = $4,
             revision = revision + 1 WHERE id = $1`,
          [webhook.id, sealed, retiresAt, updatedAt],
        );
        return { ...webhook, retiresAt, updatedAt, sealedForMaker };
      }),

    replay: (id, after, at) =>
      perform(async (query) => {
        const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id);
        await query("DELETE FROM store.webhook_parked WHERE webhook = $1", [webhook.id]);
        const updatedAt = timeOfChange(at, webhook.createdAt);
        await query(
          `UPDATE store.webhooks SET position = $2, event_id = $3, updated_at = $4, revision = revision + 1 WHERE id = $1`,
          [webhook.id, after?.position ?? 0, after?.id ?? "", updatedAt],
        );
        return { ...webhook, updatedAt };
      }),

    retry: (id, deliveryId, at) =>
      perform(async (query) => {
        const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id);
        const found = await readOne(query, deliverySource, deliveryId);
        const delivery = requireLogged(found?.webhook === webhook.id ? found : undefined, deliveryId);
        const { position, subject } = delivery;
        requireKept(delivery, await idAt(query, position));
        await park(query, [{ webhook: webhook.id, position, subject, attempts: 0, nextAt: at }], hurry);
        await query("UPDATE store.webhooks SET revision = revision + 1 WHERE id = $1", [webhook.id]);
        return { ...delivery, nextAt: at };
      }),

    deliveries: (id, limit) => readDeliveries(read, id, limit),
    delivery: (id) => readOne(read, deliverySource, id),

    beginDelivery: (id, delivery) =>
      perform(async (query) => {
        const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id);
        const [added] = await addDeliveries(query, [{ webhook: webhook.id, ...delivery }]);
        if (!added) throw new Error("An insert returned no delivery.");
        return added;
      }),
    endDelivery: (id, attempt) => perform((query) => endDelivery(query, id, attempt)),

    async secrets(id) {
      const [row] = await read<SecretRow>("SELECT secret, previous_secret FROM store.webhooks WHERE id = $1", [
        String(id),
      ]);
      return row && { secret: row.secret, previousSecret: row.previous_secret };
    },
  };
}

/** They run one after the other, so that each counts those before it. The lock is that of the schema, whose name takes the
 * place of `store`. A lock of the table would wait for deliveries, too. */
async function lockCreates(query: Query): Promise<void> {
  await query("SELECT pg_advisory_xact_lock(hashtext('animal-store webhooks'), hashtext('store.webhooks'))");
}
