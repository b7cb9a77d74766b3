import type { Database, Statement } from "bun:sqlite";
import { timeOfChange } from "../../base/clock.ts";
import type { Int64 } from "../../base/int64.ts";
import { webhookDisabled } from "../../domain/event.ts";
import {
  changedWebhook,
  type Delivery,
  disabledWebhook,
  mostNewLeases,
  type NewDelivery,
  type ParkedEvent,
  requireKept,
  requireLogged,
  requireRoomForWebhook,
  requireWebhook,
  type Webhook,
} from "../../domain/webhook.ts";
import type { CreatedWebhook, LeasedWebhook, WebhookSecrets, WebhookStore } from "../store.ts";
import { deliveryTable, webhookTable } from "../tables.ts";
import { longestLeaseMs, mostDeliveries, requireSecret } from "../webhooks.ts";
import type { Log } from "./events.ts";
import { PageReader } from "./pages.ts";
import { prepareInsert } from "./writer/inserts.ts";

export class WebhookReader extends PageReader<Webhook> {
  readonly #secrets: Statement<WebhookSecrets, [Int64]>;
  readonly #anyEnabled: Statement<unknown, []>;
  readonly #parked: Statement<ParkedEvent, [Int64]>;
  readonly #deliveries: Statement<Delivery, [Int64, number]>;
  readonly #delivery: Statement<Delivery, [Int64]>;

  constructor(database: Database) {
    super(database, webhookTable);
    this.#secrets = database.prepare(`SELECT ${secretColumns} FROM webhooks WHERE id = ?`);
    this.#anyEnabled = database.prepare("SELECT 1 FROM webhooks WHERE status = 'enabled' LIMIT 1");
    this.#parked = database.prepare(
      `SELECT ${parkedColumns.select} FROM webhook_parked WHERE webhook = ? ORDER BY position`,
    );
    const delivery = `SELECT ${deliveryTable.selected} FROM webhook_deliveries`;
    this.#deliveries = database.prepare(`${delivery} WHERE webhook = ? ORDER BY id DESC LIMIT ? + 0`);
    this.#delivery = database.prepare(`${delivery} WHERE id = ?`);
  }

  secrets(id: Int64): WebhookSecrets | undefined {
    return this.#secrets.get(id) ?? undefined;
  }

  hasEnabled(): boolean {
    return this.#anyEnabled.get() !== null;
  }

  parked(id: Int64): ParkedEvent[] {
    return this.#parked.all(id);
  }

  deliveries(id: Int64, limit: number): Delivery[] {
    return this.#deliveries.all(id, limit);
  }

  delivery(id: Int64): Delivery | undefined {
    return this.#delivery.get(id) ?? undefined;
  }
}

export function prepareWebhookWrites(database: Database) {
  const webhooks = new WebhookReader(database);
  const insert = database.prepare<Webhook, [string, string, string | null, string, number, string, number]>(
    `INSERT INTO webhooks
       (url, types, description, status, secret, position, event_id, revision, lease_until, created_at, updated_at)
     VALUES (?1, ?2, ?3, 'enabled', ?4, ?5, ?6, 1, 0, ?7, ?7) RETURNING ${webhookTable.selected}`,
  );
  const update = database.prepare(
    `UPDATE webhooks SET url = ?2, types = ?3, description = ?4, status = ?5, disabled_reason = ?6, failing_since = ?7,
       updated_at = ?8, revision = revision + 1 WHERE id = ?1`,
  );
  const eventId = database.prepare<{ id: string }, [number]>("SELECT id FROM events WHERE position = ?");
  const count = database.prepare<{ count: number }, []>("SELECT count(*) AS count FROM webhooks");
  const remove = database.prepare("DELETE FROM webhooks WHERE id = ?");
  const removeParked = database.prepare("DELETE FROM webhook_parked WHERE webhook = ?");
  const removeDeliveries = database.prepare("DELETE FROM webhook_deliveries WHERE webhook = ?");
  const rotate = database.prepare<Webhook, [number, string, number, number]>(
    `UPDATE webhooks SET previous_secret = secret, secret = ?2, retires_at = ?3, updated_at = ?4, revision = revision + 1
     WHERE id = ?1 RETURNING ${webhookTable.selected}`,
  );
  const move = database.prepare<Webhook, [number, number, string, number]>(
    `UPDATE webhooks SET position = ?2, event_id = ?3, updated_at = ?4, revision = revision + 1 WHERE id = ?1
     RETURNING ${webhookTable.selected}`,
  );
  const touch = database.prepare("UPDATE webhooks SET revision = revision + 1 WHERE id = ?");
  const park = database.prepare(
    `INSERT INTO webhook_parked (webhook, ${parkedColumns.names}) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (webhook, position) DO UPDATE SET attempts = excluded.attempts, next_at = excluded.next_at`,
  );
  const hurry = database.prepare(
    `INSERT INTO webhook_parked (webhook, ${parkedColumns.names}) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (webhook, position) DO UPDATE SET next_at = min(next_at, excluded.next_at)`,
  );
  const unpark = database.prepare("DELETE FROM webhook_parked WHERE webhook = ? AND position = ?");
  const addDelivery = prepareInsert<Delivery>(database, deliveryTable);
  const endDelivery = database.prepare<Delivery, (string | number | null)[]>(
    `UPDATE webhook_deliveries SET outcome = ?2, status = ?3, error = ?4, duration_ms = ?5 WHERE id = ?1
     RETURNING ${deliveryTable.selected}`,
  );
  const forgetDeliveries = database.prepare(
    `DELETE FROM webhook_deliveries WHERE webhook = ?1 AND id <= (
       SELECT id FROM webhook_deliveries WHERE webhook = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${mostDeliveries}
     )`,
  );
  const renew = database.prepare(
    `UPDATE webhooks SET lease_until = ?2 WHERE lease_owner = ?1 AND status = 'enabled' AND ${notOthers("?3")}`,
  );
  const take = database.prepare(
    `UPDATE webhooks SET lease_owner = ?1, lease_until = ?3 WHERE id IN (
       SELECT id FROM webhooks
       WHERE status = 'enabled' AND (lease_owner IS NULL OR lease_until NOT BETWEEN ?2 AND ?2 + ${longestLeaseMs})
         AND ${notOthers("?4")}
       ORDER BY lease_until, id LIMIT ${mostNewLeases}
     )`,
  );
  const leased = database.prepare<LeasedWebhook, [string, string]>(
    `SELECT ${leasedColumns} FROM webhooks WHERE lease_owner = ?1 AND status = 'enabled' AND ${notOthers("?2")} ORDER BY id`,
  );
  const release = database.prepare(
    `UPDATE webhooks SET lease_owner = NULL, lease_until = 0 WHERE lease_owner = ?1 AND ${notOthers("?2")}`,
  );
  const ours = database.prepare<LeasedWebhook, [number, string, number]>(
    `SELECT ${leasedColumns} FROM webhooks WHERE id = ? AND lease_owner = ? AND revision = ? AND status = 'enabled'`,
  );
  const progress = database.prepare(
    "UPDATE webhooks SET position = ?2, event_id = ?3, failing_since = ?4 WHERE id = ?1",
  );

  const save = (webhook: Webhook): void => {
    const { id, url, types, description, status, disabledReason, failingSince, updatedAt } = webhook;
    update.run(id, url, types, description, status, disabledReason, failingSince, updatedAt);
  };
  const add = (webhook: number, delivery: NewDelivery): Delivery => {
    const added = addDelivery({ webhook, ...delivery });
    forgetDeliveries.run(webhook);
    return added;
  };

  return {
    createWebhook([webhook, secret, after]: Arguments<"create">): CreatedWebhook {
      requireRoomForWebhook(count.get()?.count ?? 0);
      const { url, types, description, createdAt } = webhook;
      const created = insert.get(
        url,
        types,
        description,
        secret.sealed,
        after?.position ?? 0,
        after?.id ?? "",
        createdAt,
      );
      if (!created) throw new Error("An insert returned no webhook.");
      return { ...created, sealedForMaker: secret.sealedForMaker };
    },
    updateWebhook([id, changes, at, expected]: Arguments<"update">, log: Log): Webhook {
      const webhook = requireWebhook(webhooks.get(id), id, expected);
      const changed = changedWebhook(webhook, changes, at);
      save(changed);
      log(webhookDisabled(webhook, changed));
      return changed;
    },
    deleteWebhook([id, expected]: Arguments<"delete">): void {
      const webhook = requireWebhook(webhooks.get(id), id, expected);
      for (const statement of [remove, removeParked, removeDeliveries]) statement.run(webhook.id);
    },
    rotateWebhook([id, rotation, secret, expected]: Arguments<"rotate">): CreatedWebhook {
      const { sealed, sealedForMaker } = requireSecret(secret, id);
      const webhook = requireWebhook(webhooks.get(id), id, expected);
      const updatedAt = timeOfChange(rotation.at, webhook.createdAt);
      const rotated = rotate.get(webhook.id, sealed, rotation.retiresAt, updatedAt);
      return { ...requireWebhook(rotated ?? undefined, id), sealedForMaker };
    },
    replayWebhook([id, after, at]: Arguments<"replay">): Webhook {
      const webhook = requireWebhook(webhooks.get(id), id);
      removeParked.run(webhook.id);
      const changedAt = timeOfChange(at, webhook.createdAt);
      return requireWebhook(move.get(webhook.id, after?.position ?? 0, after?.id ?? "", changedAt) ?? undefined, id);
    },
    retryDelivery([id, deliveryId, at]: Arguments<"retry">): Delivery {
      const webhook = requireWebhook(webhooks.get(id), id);
      const found = webhooks.delivery(deliveryId);
      const delivery = requireLogged(found?.webhook === webhook.id ? found : undefined, deliveryId);
      requireKept(delivery, eventId.get(delivery.position)?.id);
      hurry.run(webhook.id, delivery.position, delivery.subject, 0, at);
      touch.run(webhook.id);
      return { ...delivery, nextAt: at };
    },
    beginDelivery([id, delivery]: Arguments<"beginDelivery">): Delivery {
      return add(requireWebhook(webhooks.get(id), id).id, delivery);
    },
    endDelivery([id, delivery]: Arguments<"endDelivery">): Delivery | undefined {
      const { outcome, status, error, durationMs } = delivery;
      return endDelivery.get(id, outcome, status, error, durationMs) ?? undefined;
    },
    leaseWebhooks([owner, now, until, others]: Arguments<"lease">): LeasedWebhook[] {
      const ids = JSON.stringify(others);
      renew.run(owner, until, ids);
      take.run(owner, now, until, ids);
      return leased.all(owner, ids);
    },
    releaseWebhooks: ([owner, except]: Arguments<"release">): void => void release.run(owner, JSON.stringify(except)),
    recordProgress([lease, news]: Arguments<"record">, log: Log): boolean {
      const webhook = ours.get(lease.id, lease.owner, lease.revision);
      if (!webhook) return false;
      const { position, id: eventId } = news.reached ?? { position: webhook.position, id: webhook.eventId };
      progress.run(lease.id, position, eventId, news.failingSince);
      for (const parked of news.parked) park.run(lease.id, ...parkedValues(parked));
      for (const done of news.unparked) unpark.run(lease.id, done);
      for (const delivery of news.deliveries) add(lease.id, delivery);
      if (news.disabled) {
        const before = { ...webhook, failingSince: news.failingSince };
        const disabled = disabledWebhook(before, news.disabled.reason, news.disabled.at);
        save(disabled);
        log(webhookDisabled(before, disabled));
      }
      return true;
    },
  };
}

/** The arguments of a method of the store, of which the thread that writes gets the list. */
type Arguments<Name extends keyof WebhookStore> = Parameters<WebhookStore[Name]>;

function notOthers(ids: string): string {
  return `id NOT IN (SELECT value FROM json_each(${ids}))`;
}

const secretColumns = "secret, previous_secret AS previousSecret";
const leasedColumns = `${webhookTable.selected}, ${secretColumns}, position, event_id AS eventId, revision`;

const parkedColumns = {
  names: "position, subject, attempts, next_at",
  select: "position, subject, attempts, next_at AS nextAt",
};

function parkedValues({ position, subject, attempts, nextAt }: ParkedEvent): (string | number)[] {
  return [position, subject, attempts, nextAt];
}
