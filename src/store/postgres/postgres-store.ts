import type { PostgresAddress } from "../../base/database-address.ts";
import { type Origin, operator } from "../../domain/event.ts";
import { assembleStore, type Engine } from "../assemble-store.ts";
import { defaultEventRetentionMs, EventWatch } from "../events.ts";
import { Expiry } from "../expiry.ts";
import { defaultIdempotencyLimits, IdempotencyQuota } from "../idempotency-quota.ts";
import { runSteps, stepsOf } from "../shared-writes.ts";
import type { Store } from "../store.ts";
import { addEventLogGauge, addRecordGauge, type StoreOptions, telemetryOf, WriteMetrics } from "../telemetry.ts";
import { EventSequencer } from "./events/event-sequencer.ts";
import { deleteExpiredEvents, eventLogBytes, eventStore, newestMark } from "./events/events.ts";
import { exportPets } from "./export.ts";
import { countRecords, deleteExpiredRecords, type WriteContext, writeContexts } from "./idempotency.ts";
import { readCategoryInventory, readInventory, sumUpInventory } from "./inventory.ts";
import { petWrites } from "./pets.ts";
import { appliedOnStandbys, writeNothing } from "./query.ts";
import { deleteExpiredQuotas, quotaStore } from "./quotas.ts";
import { storeReads } from "./reads.ts";
import { foldNames } from "./schema/fold-names.ts";
import { prepareDatabase, toOpenError } from "./schema/prepare.ts";
import type { Connection } from "./servers/connection.ts";
import { openPools, type Pools } from "./servers/pools.ts";
import { trustMs } from "./servers/replication.ts";
import { startServerClock } from "./servers/server-clock.ts";
import { shareProbe } from "./servers/shared-probe.ts";
import { transactionOf } from "./transaction.ts";
import { transferOf } from "./transfer.ts";
import { webhookLeases } from "./webhooks/webhook-leases.ts";

export async function openPostgresStore(address: PostgresAddress, options: StoreOptions): Promise<Store> {
  await prepareDatabase(address, options.mustExist === true);
  const telemetry = telemetryOf(options);
  const writeMetrics = new WriteMetrics(telemetry.metrics);
  const pools = openPools(address, { ...options, writeMetrics, telemetry });
  const { writes, read, readPrimary } = pools;
  const clock = await startServerClock(readPrimary).catch(async (error) => {
    await pools.close();
    throw toOpenError(error);
  });
  // One standby may show an event before another does, so a watcher that is notified only once may read from the stale one.
  const staleMs = address.replicas.length > 1 ? trustMs + 2 * eventPollIntervalMs : 0;
  const readNewest = async () => (await newestMark(read))?.position ?? 0;
  const eventWatch = new EventWatch(readNewest, eventPollIntervalMs, staleMs);
  const sequencer = new EventSequencer(pools.sequencing, eventWatch.check, telemetry.note);
  const { creates, ...pets } = petWrites(pools, sequencer, writeMetrics);
  const byOperator = (): Origin => ({ actor: operator, request: null, at: clock.now() });
  const { drainProgress, ...webhooks } = webhookLeases(readPrimary, pools.deliveries, byOperator, sequencer);
  const expiry = new Expiry(telemetry.note, options.stopwatch);
  const quota = new IdempotencyQuota(options.idempotencyLimits ?? defaultIdempotencyLimits, instancesSharingQuota);
  const { eventRetentionMs = defaultEventRetentionMs } = options;
  const { metrics } = telemetry;
  const help = "Writes that wait for their turn.";
  metrics.watch("gauge", "write_queue_depth", help, () => creates.length + writes.waitingCount);
  addRecordGauge(metrics, () => countRecords(read, clock.now()));
  addEventLogGauge(metrics, () => eventLogBytes(read));
  const engine: Engine<WriteContext> = {
    reads: storeReads(read, readPrimary),
    ownWrites: { pets, webhooks },
    run: ({ origin, transact }, write) =>
      transact((query) => runSteps(stepsOf(write, transactionOf(query, origin())))).finally(sequencer.requestPass),
    ...writeContexts(writes, quota, expiry, byOperator),
  };
  return assembleStore(engine, {
    events: eventStore(read, readPrimary, eventWatch),
    export: (visitor) => exportPets(pools.exports, visitor),
    transfer: transferOf(writes, sequencer),
    clock: clock.now,
    quotas: quotaStore(readPrimary),
    inventory: () => readInventory(read),
    inventoryOf: (categoryId) => readCategoryInventory(read, categoryId),
    deleteExpired: (now) => deleteExpired(writes, now, expiry, eventRetentionMs),
    requireReady: readinessProbes(pools),
    async close() {
      await creates.drain();
      await drainProgress();
      eventWatch.close();
      await sequencer.close();
      await clock.close();
      await pools.close();
    },
  });
}

function readinessProbes({ read, writes }: Pools): Store["requireReady"] {
  const commitNothing = writes.shouldWaitForStandbys ? `${writeNothing} FROM ${appliedOnStandbys}` : writeNothing;
  const probes = {
    // Looks up an id, because a search for the first animal may walk over many deleted rows.
    reads: shareProbe(() => read(`SELECT 1 FROM ${read.schema}.pets WHERE id = 1`)),
    writes: shareProbe(() => writes.query(commitNothing)),
  };
  return (kind) => probes[kind]();
}

async function deleteExpired(writes: Connection, now: number, expiry: Expiry, eventRetentionMs: number): Promise<void> {
  // Computes all cutoffs before the slow deletions: after them, `now` would be behind the stopwatch, as if the clock had jumped.
  const [recordsUntil, eventsUntil] = [expiry.cutoff(now), expiry.cutoff(now, eventRetentionMs)];
  const maxDate = expiry.maxDate(now);
  while (await deleteExpiredRecords(writes, now, recordsUntil, maxDate));
  await sumUpInventory(writes);
  await foldNames(writes.query, "pets");
  await foldNames(writes.query, "categories");
  await deleteExpiredQuotas(writes.query, now);
  while (await deleteExpiredEvents(writes, eventsUntil));
}

const eventPollIntervalMs = 250;
/** Number of instances that together stay within the limits of idempotency records. More instances may exceed the limits a little. */
const instancesSharingQuota = 4;
