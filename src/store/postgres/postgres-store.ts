import type { PostgresAddress } from "../../base/database-address.ts";
import { type Origin, operator } from "../../domain/event.ts";
import { assembleStore, type Engine } from "../assemble-store.ts";
import { defaultEventRetentionMs, EventWatch } from "../events.ts";
import { Expiry } from "../expiry.ts";
import { defaultIdempotencyLimits, IdempotencyQuota } from "../idempotency-quota.ts";
import { runSteps, stepsOf } from "../shared-writes.ts";
import type { Store, TimeSpent, WebhookStore } from "../store.ts";
import { limitToOneWrite } from "../stored-outcome.ts";
import { type AdapterOptions, addEventLogGauge, addRecordGauge, telemetryOf, WriteMetrics } from "../telemetry.ts";
import { EventSequencer } from "./events/event-sequencer.ts";
import { eventLogBytes, eventStore, forgetEvents, newestPosition } from "./events/events.ts";
import { exportPets } from "./export.ts";
import { countRecords, deleteExpiredRecords } from "./idempotency.ts";
import { readCategoryInventory, readInventory, sumUpInventory } from "./inventory.ts";
import { createAll, insertPet, petCreates } from "./pets.ts";
import { forgetQuotas, quotaStore } from "./quotas.ts";
import { storeReads } from "./reads.ts";
import { foldNames } from "./schema/fold-names.ts";
import { explainOpenError, prepareDatabase } from "./schema/prepare.ts";
import { openPools, type Pools } from "./servers/pools.ts";
import { trustMs } from "./servers/replication.ts";
import { ServerClock } from "./servers/server-clock.ts";
import { SharedProbe } from "./servers/shared-probe.ts";
import { PostgresTransaction } from "./transaction.ts";
import { transferOf } from "./transfer.ts";
import { webhookLeases } from "./webhooks/webhook-leases.ts";
import { commitNothing, type Perform, performOn, performOnce } from "./work.ts";

/** Opens the database, creating or migrating its schema first. Throws StoreOpenError. */
export async function openPostgresStore(
  address: PostgresAddress,
  {
    poolSize,
    limitMilliseconds,
    stopwatch,
    mustExist = false,
    idempotencyLimits = defaultIdempotencyLimits,
    eventRetentionMs = defaultEventRetentionMs,
    ...options
  }: AdapterOptions,
): Promise<Store> {
  await prepareDatabase(address, mustExist);
  const watch = telemetryOf(options);
  const writeMetrics = new WriteMetrics(watch.metrics);
  const pools = openPools(address, { poolSize, limitMilliseconds, stopwatch, writeMetrics, watch });
  const { writes, read, readPrimary, acknowledge } = pools;
  const clock = await ServerClock.ask(readPrimary).catch(async (error) => {
    await pools.close();
    throw explainOpenError(error);
  });
  // Of two standbys, one may show an event before the other does.
  const doubtMs = address.replicas.length > 1 ? trustMs + 2 * lookForEventsEveryMs : 0;
  const eventWatch = new EventWatch(() => newestPosition(read), lookForEventsEveryMs, doubtMs);
  const sequencer = new EventSequencer(pools.settling, eventWatch.check, watch.note);
  const creates = petCreates(writes, acknowledge !== undefined, sequencer, writeMetrics);
  const help = "Writes that wait for their turn.";
  watch.metrics.watch("gauge", "write_queue_depth", help, () => creates.length + writes.waiting);
  addRecordGauge(watch.metrics, () => countRecords(read, clock.now()));
  addEventLogGauge(watch.metrics, () => eventLogBytes(read));
  const probes = {
    // By its id, because the first of all may be behind many that were deleted.
    reads: new SharedProbe(() => read(`SELECT 1 FROM ${read.schema}.pets WHERE id = 1`)),
    writes: new SharedProbe(() => commitNothing(writes, acknowledge !== undefined)),
  };
  const expiry = new Expiry(watch.note, stopwatch);
  const byOperator = (): Origin => ({ actor: operator, request: null, at: clock.now() });
  const { drain: drainRecords, ...leases } = webhookLeases(readPrimary, pools.deliveries, byOperator, () =>
    sequencer.soon(),
  );
  const room = new IdempotencyQuota(idempotencyLimits, sharers);
  const engine = engineOf({ pools, sequencer, creates, leases, writeMetrics, room, expiry, byOperator });
  return assembleStore(engine, {
    events: eventStore(read, readPrimary, eventWatch),
    export: (visitor) => exportPets(pools.exports, visitor),
    transfer: transferOf(writes, sequencer),
    clock: clock.now,
    quotas: quotaStore(readPrimary),
    inventory: () => readInventory(read),
    inventoryOf: (categoryId) => readCategoryInventory(read, categoryId),
    async deleteExpired(now) {
      // Compared later, `now` would be behind the stopwatch, and the next comparison would take that for a jump of the clock.
      const [recordsUntil, eventsUntil] = [expiry.cutoff(now), expiry.cutoff(now, eventRetentionMs)];
      const latest = expiry.latest(now);
      while (await deleteExpiredRecords(writes, now, recordsUntil, latest));
      await sumUpInventory(writes);
      await foldNames(writes.query, "pets");
      await foldNames(writes.query, "categories");
      await forgetQuotas(writes.query, now);
      while (await forgetEvents(writes, eventsUntil));
    },
    requireReady: (kind) => probes[kind].ask(),
    async close() {
      await creates.drain();
      await drainRecords();
      eventWatch.close();
      await sequencer.close();
      await clock.close();
      await pools.close();
    },
  });
}

interface EngineParts {
  readonly pools: Pools;
  readonly sequencer: EventSequencer;
  readonly creates: ReturnType<typeof petCreates>;
  readonly leases: Pick<WebhookStore, "acquireLeases" | "releaseLeases" | "saveProgress">;
  readonly writeMetrics: WriteMetrics;
  readonly room: IdempotencyQuota;
  readonly expiry: Expiry;
  readonly byOperator: () => Origin;
}

function engineOf({
  pools: { writes, read, readPrimary, acknowledge },
  sequencer,
  creates,
  leases,
  writeMetrics,
  room,
  expiry,
  byOperator,
}: EngineParts): Engine<WriteContext> {
  /** Every write may have put events into the inbox. */
  const thenSequence = <Result>(write: Promise<Result>) => write.finally(() => sequencer.soon());
  return {
    reads: storeReads(read, readPrimary),
    ownWrites: {
      pets: {
        async create({ origin, time, once }, pet) {
          const creation = { pet, origin: origin() };
          if (once) return await thenSequence(once((query) => insertPet(query, creation)));
          const created = await creates.add(creation, time);
          await acknowledge?.(created.position);
          return created.pet;
        },
        createAll: ({ origin, perform, again }, pets) =>
          createAll(perform, again, pets, origin(), sequencer, writeMetrics),
      },
      webhooks: {
        acquireLeases: (_, ...values) => leases.acquireLeases(...values),
        releaseLeases: (_, ...values) => leases.releaseLeases(...values),
        saveProgress: (_, ...values) => leases.saveProgress(...values),
      },
    },
    run: ({ origin, perform }, write) =>
      thenSequence(perform((query) => runSteps(stepsOf(write, new PostgresTransaction(query, origin()))))),
    contextFor: (origin, time) => {
      const perform = performOn(writes, time);
      return { origin: origin ? () => origin : byOperator, time, perform, again: perform };
    },
    withIdempotency: (record, { origin, time }) => {
      const again = performOnce(writes, record, room, expiry, time);
      const once = limitToOneWrite(again);
      return { origin, time, perform: once, again, once };
    },
  };
}

interface WriteContext {
  readonly origin: () => Origin;
  readonly time: TimeSpent | undefined;
  readonly perform: Perform;
  /** Performs a write that was begun before and has certainly not been made. */
  readonly again: Perform;
  /** Performs a write with an idempotency key. */
  readonly once?: Perform;
}

/** How soon the events of other instances are noticed; one's own are at once. */
const lookForEventsEveryMs = 250;
/** Number of instances that together keep within the idempotency limits; more instances may exceed the limits slightly. */
const sharers = 4;
