import type { Origin } from "../../../domain/event.ts";
import { disableWebhook, maxNewLeases } from "../../../domain/webhook.ts";
import type { Engine } from "../../assemble-store.ts";
import { maxDeliveries, maxLeaseMs, saveWebhook } from "../../shared-writes.ts";
import type { LeasedWebhook, WebhookLease, WebhookProgress } from "../../store.ts";
import { webhookTable } from "../../tables.ts";
import { type Outcome, WriteQueue } from "../../write-queue.ts";
import { commitTogetherOrAlone } from "../errors.ts";
import type { EventSequencer } from "../events/event-sequencer.ts";
import { getRowDecoder, type Row } from "../pages.ts";
import { type Query, toArray, toColumns } from "../query.ts";
import type { Connection } from "../servers/connection.ts";
import { transactionFor } from "../transaction.ts";
import { addDeliveries, overwriteAttempt, park } from "./webhook-rows.ts";

export function createWebhookLeases(
  readPrimary: Query,
  connection: Connection,
  origin: () => Origin,
  sequencer: EventSequencer,
): Engine<unknown>["ownWrites"]["webhooks"] & { drainProgress(): Promise<void> } {
  const save = (batch: readonly PendingProgress[]) => saveAll(connection, batch, origin);
  const queue = new WriteQueue(save, undefined, countRows);
  return {
    drainProgress: () => queue.drain(),

    async acquireLeases(_, owner, now, until, excludedIds) {
      const text = `SELECT 1 FROM ${readPrimary.schema}.webhooks WHERE status = 'enabled' LIMIT 1`;
      if ((await readPrimary(text)).length === 0) return [];
      return await connection.transaction(async (query) => {
        const renewed = await query<LeasedRow>(
          `UPDATE ${query.schema}.webhooks SET lease_until = $2
           WHERE lease_owner = $1 AND status = 'enabled' AND id <> ALL($3::bigint[]) RETURNING ${leasedColumns}`,
          [owner, until, toArray("INT8", excludedIds)],
        );
        const acquired = await query<LeasedRow>(
          // In an array, the subquery runs once. As the operand of IN, the subquery may run for each row, and exceed its limit in total.
          `UPDATE ${query.schema}.webhooks SET lease_owner = $1, lease_until = $3 WHERE id = ANY (ARRAY(
             SELECT id FROM ${query.schema}.webhooks
             WHERE status = 'enabled' AND (lease_owner IS NULL OR lease_until NOT BETWEEN $2 AND $2 + ${maxLeaseMs})
               AND id <> ALL($4::bigint[]) AND lease_owner IS DISTINCT FROM $1
             ORDER BY lease_until, id LIMIT ${maxNewLeases} FOR UPDATE SKIP LOCKED
           )) RETURNING ${leasedColumns}`,
          [owner, now, until, toArray("INT8", excludedIds)],
        );
        return [...renewed, ...acquired].map(toLeased);
      });
    },

    async releaseLeases(_, owner, except) {
      await connection.query(
        `UPDATE ${connection.schema}.webhooks SET lease_owner = NULL, lease_until = 0
         WHERE lease_owner = $1 AND id <> ALL($2::bigint[])`,
        [owner, toArray("INT8", except)],
      );
    },

    async saveProgress(_, lease, progress) {
      const isOurs = await queue.add({ lease, progress });
      if (isOurs && progress.disabled) sequencer.requestPass();
      return isOurs;
    },
  };
}

interface PendingProgress {
  readonly lease: WebhookLease;
  readonly progress: WebhookProgress;
}

function countRows({ progress: { parked, unparked, deliveries } }: PendingProgress): number {
  return 1 + parked.length + unparked.length + Math.min(deliveries.length, maxDeliveries);
}

/** Saves the progress of different webhooks together, and that of the same webhook in order. A failure undoes no earlier progress. */
async function saveAll(
  connection: Connection,
  batch: readonly PendingProgress[],
  origin: () => Origin,
): Promise<Outcome<boolean>[]> {
  const outcomes = new Map<PendingProgress, Outcome<boolean>>();
  for (let rest = batch; rest.length > 0; rest = rest.filter((pending) => !outcomes.has(pending))) {
    const firsts = [...new Map(rest.toReversed().map((pending) => [pending.lease.id, pending])).values()];
    const results = await commitTogetherOrAlone(firsts, (some) =>
      connection.transaction((query) => saveTogether(query, some, origin())),
    ).catch((error: Error) => firsts.map(() => ({ error })));
    for (const [index, pending] of firsts.entries()) outcomes.set(pending, results[index] as Outcome<boolean>);
  }
  return batch.map((pending) => outcomes.get(pending) as Outcome<boolean>);
}

async function saveTogether(query: Query, batch: readonly PendingProgress[], origin: Origin): Promise<boolean[]> {
  const ids = batch.map(({ lease }) => lease.id);
  const rows = await query<LeasedRow>(
    `SELECT ${leasedColumns} FROM ${query.schema}.webhooks
     WHERE id = ANY($1::bigint[]) AND status = 'enabled' ORDER BY id FOR UPDATE`,
    [toArray("INT8", ids)],
  );
  const rowById = new Map(rows.map((row) => [Number(row["id"]), row]));
  const ours = batch.flatMap(({ lease: { id, owner, revision }, progress }) => {
    const row = rowById.get(id);
    return row?.lease_owner === owner && Number(row.revision) === revision ? [{ id, row, progress }] : [];
  });
  const savedIds = new Set(ours.map(({ id }) => id));
  if (ours.length > 0) await writeProgress(query, ours);
  for (const { row, progress } of ours) {
    const { failingSince, disabled } = progress;
    if (!disabled) continue;
    const before = { ...getRowDecoder(webhookTable)(row), failingSince };
    const after = disableWebhook(before, disabled.reason, disabled.at);
    await saveWebhook(transactionFor(query, origin), before, after);
  }
  return ids.map((id) => savedIds.has(id));
}

type LockedProgress = Pick<PendingProgress, "progress"> & { readonly id: number; readonly row: LeasedRow };

async function writeProgress(query: Query, ours: readonly LockedProgress[]): Promise<void> {
  const marks = ours.map(({ id, row, progress: { reached, failingSince } }) => ({
    id,
    position: reached?.position ?? Number(row.position),
    eventId: reached?.id ?? row.event_id,
    failingSince,
  }));
  await query(
    `UPDATE ${query.schema}.webhooks SET position = new.position, event_id = new."eventId", failing_since = new."failingSince"
     FROM json_to_recordset($1::text::json) AS new (id bigint, position bigint, "eventId" text, "failingSince" bigint)
     WHERE webhooks.id = new.id`,
    [JSON.stringify(marks)],
  );
  const parked = ours.flatMap(({ id, progress }) => progress.parked.map((event) => ({ webhook: id, ...event })));
  if (parked.length > 0) await park(query, parked, overwriteAttempt);
  const unparked = ours.flatMap(({ id, progress }) => progress.unparked.map((position) => [id, position]));
  if (unparked.length > 0) {
    await query(
      `DELETE FROM ${query.schema}.webhook_parked USING unnest($1::bigint[], $2::bigint[]) AS gone (webhook, position)
       WHERE webhook_parked.webhook = gone.webhook AND webhook_parked.position = gone.position`,
      toColumns(["INT8", "INT8"], unparked),
    );
  }
  const deliveries = ours.flatMap(({ id, progress }) =>
    // Older deliveries would be deleted immediately.
    progress.deliveries.slice(-maxDeliveries).map((delivery) => ({ webhook: id, ...delivery })),
  );
  if (deliveries.length > 0) await addDeliveries(query, deliveries);
}

const leasedColumns = `${webhookTable.selected}, secret, previous_secret, position, event_id, revision, lease_owner`;

function toLeased(row: LeasedRow): LeasedWebhook {
  return {
    ...getRowDecoder(webhookTable)(row),
    secret: row.secret,
    previousSecret: row.previous_secret,
    position: Number(row.position),
    eventId: row.event_id,
    revision: Number(row.revision),
  };
}

type LeasedRow = Row &
  Readonly<Record<"secret" | "position" | "event_id" | "revision", string>> &
  Readonly<Record<"previous_secret" | "lease_owner", string | null>>;
