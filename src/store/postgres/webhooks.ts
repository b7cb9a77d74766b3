import { timeOfChange } from "../../base/clock.ts";
import { webhookDisabled } from "../../domain/event.ts";
import {
  changedWebhook,
  type DisabledReason,
  disabledWebhook,
  mostNewLeases,
  type ParkedEvent,
  requireKept,
  requireLogged,
  requireRoomForWebhook,
  requireWebhook,
  type Webhook,
  type WebhookStatus,
} from "../../domain/webhook.ts";
import type { LeasedWebhook, WebhookStore } from "../store.ts";
import { longestLeaseMs } from "../webhooks.ts";
import type { EventInbox } from "./event-inbox.ts";
import { idAt } from "./events.ts";
import { optionalNumber, readOne, readPage, type Source } from "./pages.ts";
import { arrayOf, type Query } from "./query.ts";
import { addDeliveries, deliverySource, endDelivery, readDeliveries } from "./webhook-deliveries.ts";
import type { Perform } from "./work.ts";

/** What the one who delivers reads is read from the primary, where it was written. */
export function webhookStore(read: Query, readPrimary: Query, perform: Perform, inbox: EventInbox): WebhookStore {
  return {
    list: (page) => readPage(read, webhookSource, [], page),
    get: (id) => readOne(read, webhookSource, id),

    create: ({ url, types, description, createdAt }, { sealed, sealedForMaker }, after) =>
      perform(async (query) => {
        await lockCreates(query);
        const [found] = await query<{ count: string }>("SELECT count(*) AS count FROM store.webhooks");
        requireRoomForWebhook(Number(found?.count));
        const [row] = await query<WebhookRow>(
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
        await save(query, inbox, webhook, changed);
        return changed;
      }),

    delete: (id, expected) =>
      perform(async (query) => {
        const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id, expected);
        await query("DELETE FROM store.webhook_parked WHERE webhook = $1", [webhook.id]);
        await query("DELETE FROM store.webhook_deliveries WHERE webhook = $1", [webhook.id]);
        await query("DELETE FROM store.webhooks WHERE id = $1", [webhook.id]);
      }),

    rotate: (id, { at, retiresAt }, { sealed, sealedForMaker }, expected) =>
      perform(async (query) => {
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
        await park(query, webhook.id, [{ position, subject, attempts: 0, nextAt: at }], hurry);
        await query("UPDATE store.webhooks SET revision = revision + 1 WHERE id = $1", [webhook.id]);
        return { ...delivery, nextAt: at };
      }),

    deliveries: (id, limit) => readDeliveries(read, id, limit),
    delivery: (id) => readOne(read, deliverySource, id),

    beginDelivery: (id, delivery) =>
      perform(async (query) => {
        const webhook = requireWebhook(await readOne(query, webhookSource, id, "lock"), id);
        const [added] = await addDeliveries(query, webhook.id, [delivery]);
        if (!added) throw new Error("An insert returned no delivery.");
        return added;
      }),
    endDelivery: (id, attempt) => perform((query) => endDelivery(query, id, attempt)),

    async secrets(id) {
      const [row] = await read<Pick<LeasedRow, "secret" | "previous_secret">>(
        "SELECT secret, previous_secret FROM store.webhooks WHERE id = $1",
        [String(id)],
      );
      return row && { secret: row.secret, previousSecret: row.previous_secret };
    },

    async lease(owner, now, until, others) {
      const [enabled] = await readPrimary("SELECT 1 FROM store.webhooks WHERE status = 'enabled' LIMIT 1");
      if (!enabled) return [];
      return await perform(async (query) => {
        const renewed = await query<LeasedRow>(
          `UPDATE store.webhooks SET lease_until = $2
           WHERE lease_owner = $1 AND status = 'enabled' AND id <> ALL($3::bigint[]) RETURNING ${leasedColumns}`,
          [owner, until, arrayOf(others, "INT8")],
        );
        const taken = await query<LeasedRow>(
          `UPDATE store.webhooks SET lease_owner = $1, lease_until = $3 WHERE id IN (
             SELECT id FROM store.webhooks
             WHERE status = 'enabled' AND (lease_owner IS NULL OR lease_until NOT BETWEEN $2 AND $2 + ${longestLeaseMs})
               AND id <> ALL($4::bigint[]) AND lease_owner IS DISTINCT FROM $1
             ORDER BY lease_until, id LIMIT ${mostNewLeases} FOR UPDATE SKIP LOCKED
           ) RETURNING ${leasedColumns}`,
          [owner, now, until, arrayOf(others, "INT8")],
        );
        return [...renewed, ...taken].map(toLeased);
      });
    },

    release: (owner) =>
      perform(async (query) => {
        await query("UPDATE store.webhooks SET lease_owner = NULL, lease_until = 0 WHERE lease_owner = $1", [owner]);
      }),

    async parked(id) {
      const rows = await readPrimary<ParkedRow>(
        "SELECT position, subject, attempts, next_at FROM store.webhook_parked WHERE webhook = $1 ORDER BY position",
        [id],
      );
      return rows.map(({ position, subject, attempts, next_at }) => ({
        position: Number(position),
        subject,
        attempts: Number(attempts),
        nextAt: Number(next_at),
      }));
    },

    record: ({ id, owner, revision }, { reached, parked, unparked, deliveries, failingSince, disabled }) =>
      perform(async (query) => {
        const [row] = await query<LeasedRow>(
          `SELECT ${leasedColumns} FROM store.webhooks
           WHERE id = $1 AND lease_owner = $2 AND revision = $3 AND status = 'enabled' FOR UPDATE`,
          [id, owner, revision],
        );
        if (!row) return false;
        await query("UPDATE store.webhooks SET position = $2, event_id = $3, failing_since = $4 WHERE id = $1", [
          id,
          reached?.position ?? row.position,
          reached?.id ?? row.event_id,
          failingSince,
        ]);
        if (parked.length > 0) await park(query, id, parked, overwrite);
        if (unparked.length > 0) {
          await query("DELETE FROM store.webhook_parked WHERE webhook = $1 AND position = ANY($2::bigint[])", [
            id,
            arrayOf(unparked, "INT8"),
          ]);
        }
        if (deliveries.length > 0) await addDeliveries(query, id, deliveries);
        if (disabled) {
          const before = { ...webhookSource.toItem(row), failingSince };
          await save(query, inbox, before, disabledWebhook(before, disabled.reason, disabled.at));
        }
        return true;
      }),
  };
}

/** They run one after the other, so that each counts those before it. The lock is that of the schema, whose name takes the
 * place of `store`. A lock of the table would wait for deliveries, too. */
async function lockCreates(query: Query): Promise<void> {
  await query("SELECT pg_advisory_xact_lock(hashtext('animal-store webhooks'), hashtext('store.webhooks'))");
}

async function save(query: Query, inbox: EventInbox, before: Webhook, after: Webhook): Promise<void> {
  const { id, url, types, description, status, disabledReason, failingSince, updatedAt } = after;
  await inbox.run(
    query,
    `UPDATE store.webhooks SET url = $2, types = $3, description = $4, status = $5, disabled_reason = $6,
       failing_since = $7, updated_at = $8, revision = revision + 1 WHERE id = $1`,
    [id, url, types, description, status, disabledReason, failingSince, updatedAt],
    webhookDisabled(before, after),
  );
}

const overwrite = "attempts = excluded.attempts, next_at = excluded.next_at";
const hurry = "next_at = least(webhook_parked.next_at, excluded.next_at)";

async function park(query: Query, webhook: number, parked: readonly ParkedEvent[], change: string): Promise<void> {
  const integers = (field: "position" | "attempts" | "nextAt") =>
    arrayOf(
      parked.map((one) => one[field]),
      "INT8",
    );
  await query(
    `INSERT INTO store.webhook_parked (webhook, position, subject, attempts, next_at)
     SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
     ON CONFLICT (webhook, position) DO UPDATE SET ${change}`,
    [
      webhook,
      integers("position"),
      arrayOf(
        parked.map(({ subject }) => subject),
        "TEXT",
      ),
      integers("attempts"),
      integers("nextAt"),
    ],
  );
}

const webhookSource: Source<WebhookRow, Webhook> = {
  table: "store.webhooks",
  columns: "id, url, types, description, status, disabled_reason, failing_since, retires_at, created_at, updated_at",
  toItem: (row) => ({
    id: Number(row.id),
    url: row.url,
    types: row.types,
    description: row.description,
    status: row.status,
    disabledReason: row.disabled_reason,
    failingSince: optionalNumber(row.failing_since),
    retiresAt: optionalNumber(row.retires_at),
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
  }),
};

const leasedColumns = `${webhookSource.columns}, secret, previous_secret, position, event_id, revision`;

function toLeased(row: LeasedRow): LeasedWebhook {
  return {
    ...webhookSource.toItem(row),
    secret: row.secret,
    previousSecret: row.previous_secret,
    position: Number(row.position),
    eventId: row.event_id,
    revision: Number(row.revision),
  };
}

interface WebhookRow {
  readonly id: string;
  readonly url: string;
  readonly types: string;
  readonly description: string | null;
  readonly status: WebhookStatus;
  readonly disabled_reason: DisabledReason | null;
  readonly failing_since: string | null;
  readonly retires_at: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

interface LeasedRow extends WebhookRow {
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly position: string;
  readonly event_id: string;
  readonly revision: string;
}

interface ParkedRow {
  readonly position: string;
  readonly subject: string;
  readonly attempts: string;
  readonly next_at: string;
}
