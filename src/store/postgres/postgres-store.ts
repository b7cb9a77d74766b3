import type { PostgresAddress } from "../../base/database-address.ts";
import { type Origin, operator } from "../../domain/event.ts";
import { assembleStore, type Engine } from "../assemble-store.ts";
import { defaultEventRetentionMs, EventWatch } from "../events.ts";
import { Expiry } from "../expiry.ts";
import { defaultIdempotencyLimits, IdempotencyQuota } from "../idempotency-quota.ts";
import { runSteps, stepsFor } from "../shared-writes.ts";
import type { Store } from "../store.ts";
import { addEventLogGauge, addRecordGauge, fillTelemetry, type StoreOptions, WriteMetrics } from "../telemetry.ts";
import { EventSequencer } from "./events/event-sequencer.ts";
import { createEventStore, deleteExpiredEvents, measureEventLog, readNewestMark } from "./events/events.ts";
import { exportPets } from "./export.ts";
import { countRecords, createWriteContexts, deleteExpiredRecords, type WriteContext } from "./idempotency.ts";
import { readCategoryInventory, readInventory, sumUpInventory } from "./inventory.ts";
import { createPetWrites } from "./pets.ts";
import { appliedOnStandbys, writeNothing } from "./query.ts";
import { createQuotaStore, deleteExpiredQuotas } from "./quotas.ts";
import { createStoreReads } from "./reads.ts";
import { foldNames } from "./schema/fold-names.ts";
import { prepareDatabase, toOpenError } from "./schema/prepare.ts";
import type { Connection } from "./servers/connection.ts";
import { openPools, type Pools } from "./servers/pools.ts";
import { trustMs } from "./servers/replication.ts";
import { startServerClock } from "./servers/server-clock.ts";
import { shareProbe } from "./servers/shared-probe.ts";
import { transactionFor } from "./transaction.ts";
import { createTransfer } from "./transfer.ts";
import { createWebhookLeases } from "./webhooks/webhook-leases.ts";

export async function openPostgresStore(address: PostgresAddress, options: StoreOptions): Promise<Store> {
  await prepareDatabase(address, options.mustExist === true);
  const telemetry = fillTelemetry(options);
  const writeMetrics = new WriteMetrics(telemetry.metrics);
  const pools = openPools(address, { ...options, writeMetrics, telemetry });
  const { writes, read, readPrimary } = pools;
  const clock = await startServerClock(readPrimary).catch(async (error) => {
    await pools.close();
    throw toOpenError(error);
  });
  // One standby may show an event before another does, so a watcher that is notified only once may read from the stale one.
  const staleMs = address.replicas.length > 1 ? trustMs + 2 * eventPollIntervalMs : 0;
  const readNewest = async () => (await readNewestMark(read))?.position ?? 0;
  const eventWatch = new EventWatch(readNewest, eventPollIntervalMs, staleMs);
  const sequencer = new EventSequencer(pools.sequencing, eventWatch.check, telemetry.note);
  const { creates, ...pets } = createPetWrites(pools, sequencer, writeMetrics);
  const originNow = (): Origin => ({ actor: operator, request: null, at: clock.now() });
  const { drainProgress, ...webhooks } = createWebhookLeases(readPrimary, pools.deliveries, originNow, sequencer);
  const expiry = new Expiry(telemetry.note, options.stopwatch);
  const quota = new IdempotencyQuota(options.idempotencyLimits ?? defaultIdempotencyLimits, instancesSharingQuota);
  const { eventRetentionMs = defaultEventRetentionMs } = options;
  const { metrics } = telemetry;
  const help = "Writes that wait for their turn.";
  metrics.watch("gauge", "write_queue_depth", help, () => creates.length + writes.waitingCount);
  addRecordGauge(metrics, () => countRecords(read, clock.now()));
  addEventLogGauge(metrics, () => measureEventLog(read));
  const engine: Engine<WriteContext> = {
    reads: createStoreReads(read, readPrimary),
    ownWrites: { pets, webhooks },
    run: ({ origin, transact }, write) =>
      transact((query) => runSteps(stepsFor(write, transactionFor(query, origin())))).finally(sequencer.requestPass),
    ...createWriteContexts(writes, quota, expiry, originNow),
  };
  return assembleStore(engine, {
    events: createEventStore(read, readPrimary, eventWatch),
    export: (visitor) => exportPets(pools.exports, visitor),
    transfer: createTransfer(writes, sequencer),
    clock: clock.now,
    quotas: createQuotaStore(readPrimary),
    inventory: () => readInventory(read),
    inventoryOf: (categoryId) => readCategoryInventory(read, categoryId),
    deleteExpired: (now) => deleteExpired(writes, now, expiry, eventRetentionMs),
    requireReady: createReadinessProbes(pools),
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

function createReadinessProbes({ read, writes }: Pools): Store["requireReady"] {
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
  const [recordCutoff, eventCutoff] = [expiry.cutoff(now), expiry.cutoff(now, eventRetentionMs)];
  const maxDate = expiry.maxDate(now);
  while (await deleteExpiredRecords(writes, now, recordCutoff, maxDate));
  await sumUpInventory(writes);
  await foldNames(writes.query, "pets");
  await foldNames(writes.query, "categories");
  await deleteExpiredQuotas(writes.query, now);
  while (await deleteExpiredEvents(writes, eventCutoff));
}

const eventPollIntervalMs = 250;
/** Number of instances that together stay within the limits of idempotency records. More instances may exceed the limits a little. */
const instancesSharingQuota = 4;
