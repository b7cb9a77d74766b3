import type { Database } from "bun:sqlite";
import { disableWebhook, maxNewLeases } from "../../domain/webhook.ts";
import { maxLeaseMs, saveWebhook } from "../shared-writes.ts";
import type { LeasedWebhook, WebhookStore } from "../store.ts";
import { webhookTable } from "../tables.ts";
import type { Log } from "./events.ts";
import type { SqliteTransaction } from "./transaction.ts";

/** Prepares the writes of the delivery engine. PostgreSQL needs other code, which makes these writes for many webhooks at once. */
export function prepareWebhookWrites(database: Database, transaction: SqliteTransaction) {
  const renew = database.prepare(
    `UPDATE webhooks SET lease_until = ?2 WHERE lease_owner = ?1 AND status = 'enabled' AND ${excludeIds("?3")}`,
  );
  const acquire = database.prepare(
    `UPDATE webhooks SET lease_owner = ?1, lease_until = ?3 WHERE id IN (
       SELECT id FROM webhooks
       WHERE status = 'enabled' AND (lease_owner IS NULL OR lease_until NOT BETWEEN ?2 AND ?2 + ${maxLeaseMs})
         AND ${excludeIds("?4")}
       ORDER BY lease_until, id LIMIT ${maxNewLeases}
     )`,
  );
  const leased = database.prepare<LeasedWebhook, [string, string]>(
    `SELECT ${leasedColumns} FROM webhooks WHERE lease_owner = ?1 AND status = 'enabled' AND ${excludeIds("?2")} ORDER BY id`,
  );
  const release = database.prepare(
    `UPDATE webhooks SET lease_owner = NULL, lease_until = 0 WHERE lease_owner = ?1 AND ${excludeIds("?2")}`,
  );
  const findLeased = database.prepare<LeasedWebhook, [number, string, number]>(
    `SELECT ${leasedColumns} FROM webhooks WHERE id = ? AND lease_owner = ? AND revision = ? AND status = 'enabled'`,
  );
  const save = database.prepare("UPDATE webhooks SET position = ?2, event_id = ?3, failing_since = ?4 WHERE id = ?1");
  const unpark = database.prepare("DELETE FROM webhook_parked WHERE webhook = ? AND position = ?");

  return {
    leaseWebhooks([owner, now, until, excludedIds]: Parameters<WebhookStore["acquireLeases"]>): LeasedWebhook[] {
      const ids = JSON.stringify(excludedIds);
      renew.run(owner, until, ids);
      acquire.run(owner, now, until, ids);
      return leased.all(owner, ids);
    },
    releaseWebhooks([owner, except]: Parameters<WebhookStore["releaseLeases"]>): void {
      release.run(owner, JSON.stringify(except));
    },
    saveProgress([lease, progress]: Parameters<WebhookStore["saveProgress"]>, log: Log): boolean {
      transaction.log = log;
      const { id } = lease;
      const webhook = findLeased.get(id, lease.owner, lease.revision);
      if (!webhook) return false;
      const reached = progress.reached ?? { position: webhook.position, id: webhook.eventId };
      save.run(id, reached.position, reached.id, progress.failingSince);
      for (const event of progress.parked) transaction.park(id, event, overwriteAttempt);
      for (const position of progress.unparked) unpark.run(id, position);
      for (const delivery of progress.deliveries) transaction.addDelivery(id, delivery);
      if (progress.disabled) {
        const before = { ...webhook, failingSince: progress.failingSince };
        const after = disableWebhook(before, progress.disabled.reason, progress.disabled.at);
        saveWebhook(transaction, before, after);
      }
      return true;
    },
  };
}

function excludeIds(ids: string): string {
  return `id NOT IN (SELECT value FROM json_each(${ids}))`;
}

const leasedColumns = `${webhookTable.selected}, secret, previous_secret AS previousSecret, position, event_id AS eventId, revision`;
const overwriteAttempt = "attempts = excluded.attempts, next_at = excluded.next_at";
