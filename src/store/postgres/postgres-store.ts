import type { PostgresAddress } from "../../base/database-address.ts";
import { type Origin, operator } from "../../domain/event.ts";
import { assembleStore, type Engine } from "../assemble-store.ts";
import { defaultEventRetentionMs, EventWatch } from "../events.ts";
import { Expiry } from "../expiry.ts";
import { defaultIdempotencyLimits, IdempotencyQuota } from "../idempotency-quota.ts";
import { runSteps, stepsOf } from "../shared-writes.ts";
import type { Store, StoreTelemetry, TimeSpent } from "../store.ts";
import { limitToOneWrite } from "../stored-outcome.ts";
import { type AdapterOptions, addEventLogGauge, addRecordGauge, telemetryOf, WriteMetrics } from "../telemetry.ts";
import { EventSequencer } from "./events/event-sequencer.ts";
import { deleteExpiredEvents, eventLogBytes, eventStore, readNewestPosition } from "./events/events.ts";
import { exportPets } from "./export.ts";
import { countRecords, deleteExpiredRecords, transactOnce } from "./idempotency.ts";
import { readCategoryInventory, readInventory, sumUpInventory } from "./inventory.ts";
import { createAll, insertPet, makeCreateQueue } from "./pets.ts";
import { appliedOnStandbys, writeNothing } from "./query.ts";
import { deleteExpiredQuotas, quotaStore } from "./quotas.ts";
import { storeReads } from "./reads.ts";
import { foldNames } from "./schema/fold-names.ts";
import { prepareDatabase, toOpenError } from "./schema/prepare.ts";
import type { Connection, Transact } from "./servers/connection.ts";
import { openPools, type Pools } from "./servers/pools.ts";
import { trustMs } from "./servers/replication.ts";
import { ServerClock } from "./servers/server-clock.ts";
import { SharedProbe } from "./servers/shared-probe.ts";
import { PostgresTransaction } from "./transaction.ts";
import { transferOf } from "./transfer.ts";
import { webhookLeases } from "./webhooks/webhook-leases.ts";

/** Opens the database, creating or migrating its schema first. Throws StoreOpenError. */
export async function openPostgresStore(address: PostgresAddress, options: AdapterOptions): Promise<Store> {
  await prepareDatabase(address, options.mustExist === true);
  const telemetry = telemetryOf(options);
  const writeMetrics = new WriteMetrics(telemetry.metrics);
  const pools = openPools(address, { ...options, writeMetrics, telemetry });
  const { writes, read, readPrimary } = pools;
  const clock = await ServerClock.start(readPrimary).catch(async (error) => {
    await pools.close();
    throw toOpenError(error);
  });
  // One standby may show an event before another does.
  const doubtMs = address.replicas.length > 1 ? trustMs + 2 * eventPollIntervalMs : 0;
  const eventWatch = new EventWatch(() => readNewestPosition(read), eventPollIntervalMs, doubtMs);
  const sequencer = new EventSequencer(pools.sequencing, eventWatch.check, telemetry.note);
  const creates = makeCreateQueue(writes, sequencer, writeMetrics);
  const byOperator = (): Origin => ({ actor: operator, request: null, at: clock.now() });
  const leases = webhookLeases(readPrimary, pools.deliveries, byOperator, () => sequencer.requestPass());
  const expiry = new Expiry(telemetry.note, options.stopwatch);
  const quota = new IdempotencyQuota(options.idempotencyLimits ?? defaultIdempotencyLimits, instancesSharingQuota);
  const { eventRetentionMs = defaultEventRetentionMs } = options;
  addGauges(
    telemetry,
    pools,
    () => clock.now(),
    () => creates.length,
  );
  return assembleStore(engineOf({ pools, sequencer, creates, leases, writeMetrics, quota, expiry, byOperator }), {
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
      await leases.drain();
      eventWatch.close();
      await sequencer.close();
      await clock.close();
      await pools.close();
    },
  });
}

function addGauges(
  { metrics }: StoreTelemetry,
  { writes, read }: Pools,
  now: () => number,
  queueDepth: () => number,
): void {
  const help = "Writes that wait for their turn.";
  metrics.watch("gauge", "write_queue_depth", help, () => queueDepth() + writes.waitingCount);
  addRecordGauge(metrics, () => countRecords(read, now()));
  addEventLogGauge(metrics, () => eventLogBytes(read));
}

function readinessProbes({ read, writes }: Pools): Store["requireReady"] {
  const commitNothing = writes.isAppliedOnStandbys ? `${writeNothing} FROM ${appliedOnStandbys}` : writeNothing;
  const probes = {
    // Looks up an id, because a search for the first animal may walk over many deleted rows.
    reads: new SharedProbe(() => read(`SELECT 1 FROM ${read.schema}.pets WHERE id = 1`)),
    writes: new SharedProbe(() => writes.query(commitNothing)),
  };
  return (kind) => probes[kind].run();
}

async function deleteExpired(writes: Connection, now: number, expiry: Expiry, eventRetentionMs: number): Promise<void> {
  // All cutoffs come first: later, `now` would be behind the stopwatch, which would look as if the clock had jumped.
  const [recordsUntil, eventsUntil] = [expiry.cutoff(now), expiry.cutoff(now, eventRetentionMs)];
  const latest = expiry.latest(now);
  while (await deleteExpiredRecords(writes, now, recordsUntil, latest));
  await sumUpInventory(writes);
  await foldNames(writes.query, "pets");
  await foldNames(writes.query, "categories");
  await deleteExpiredQuotas(writes.query, now);
  while (await deleteExpiredEvents(writes, eventsUntil));
}

interface EngineParts {
  readonly pools: Pools;
  readonly sequencer: EventSequencer;
  readonly creates: ReturnType<typeof makeCreateQueue>;
  readonly leases: ReturnType<typeof webhookLeases>;
  readonly writeMetrics: WriteMetrics;
  readonly quota: IdempotencyQuota;
  readonly expiry: Expiry;
  readonly byOperator: () => Origin;
}

function engineOf(parts: EngineParts): Engine<WriteContext> {
  const { sequencer, creates, leases, writeMetrics, quota, expiry, byOperator } = parts;
  const { writes, read, readPrimary, acknowledge } = parts.pools;
  /** Every write may have put events into the inbox. */
  const thenSequence = <Result>(write: Promise<Result>) => write.finally(() => sequencer.requestPass());
  return {
    reads: storeReads(read, readPrimary),
    ownWrites: {
      pets: {
        async create({ origin, time, transactOnce }, pet) {
          const creation = { pet, origin: origin() };
          if (transactOnce) return await thenSequence(transactOnce((query) => insertPet(query, creation)));
          const created = await creates.add(creation, time);
          await acknowledge?.(created.position);
          return created.pet;
        },
        createAll: ({ origin, transact, retry }, pets) =>
          createAll(transact, retry, pets, origin(), sequencer, writeMetrics),
      },
      webhooks: {
        acquireLeases: (_, ...values) => leases.acquireLeases(...values),
        releaseLeases: (_, ...values) => leases.releaseLeases(...values),
        saveProgress: (_, ...values) => leases.saveProgress(...values),
      },
    },
    run: ({ origin, transact }, write) =>
      thenSequence(transact((query) => runSteps(stepsOf(write, new PostgresTransaction(query, origin()))))),
    contextFor(origin, time) {
      const transact: Transact = (work, shouldLeaveCommit) => writes.transaction(work, shouldLeaveCommit, time);
      return { origin: origin ? () => origin : byOperator, time, transact, retry: transact };
    },
    withIdempotency(record, { origin, time }) {
      const retry = transactOnce(writes, record, quota, expiry, time);
      const once = limitToOneWrite(retry);
      return { origin, time, transact: once, retry, transactOnce: once };
    },
  };
}

interface WriteContext {
  readonly origin: () => Origin;
  readonly time: TimeSpent | undefined;
  readonly transact: Transact;
  /** Runs a write again whose first transaction was certainly not committed. */
  readonly retry: Transact;
  /** Present for a write with an idempotency key. */
  readonly transactOnce?: Transact;
}

/** Interval at which events of other instances are noticed; an instance notices its own at once. */
const eventPollIntervalMs = 250;
/** Number of instances that keep to the limits of idempotency records together; more of them may let somewhat more through. */
const instancesSharingQuota = 4;
