import type { PostgresAddress } from "../../base/database-address.ts";
import type { Claim } from "../../domain/claim.ts";
import { type Origin, operator } from "../../domain/event.ts";
import type { NewPet, Pet } from "../../domain/pet.ts";
import { actingStores, type WritingParts } from "../acting-store.ts";
import { watchClaims, watchEventLog } from "../claim-counts.ts";
import { ClaimRoom, usualClaimLimits } from "../claim-room.ts";
import { forOneWrite } from "../conclusion.ts";
import { EventWatch, usualEventRetentionMs } from "../events.ts";
import { Expiry } from "../expiry.ts";
import type { Attribution, PetStore, Store } from "../store.ts";
import { type AdapterOptions, WriteMetrics, watchOf } from "../watch.ts";
import { categoryStore } from "./categories.ts";
import { countClaims, forgetClaims } from "./claims.ts";
import { EventInbox } from "./events/event-inbox.ts";
import { EventSettler } from "./events/event-settler.ts";
import { eventLogBytes, eventStore, forgetEvents, newestPosition } from "./events/events.ts";
import { exportPets } from "./export.ts";
import { readCategoryInventory, readInventory, sumUpInventory } from "./inventory.ts";
import { keyStore } from "./keys.ts";
import { orderStore } from "./orders.ts";
import { createAll, insertPet, petCreates, petStore } from "./pets.ts";
import { forgetQuotas, quotaStore } from "./quotas.ts";
import { foldNames } from "./schema/fold-names.ts";
import { explainOpenError, prepareDatabase } from "./schema/prepare.ts";
import { openPools } from "./servers/pools.ts";
import { trustMs } from "./servers/replication.ts";
import { ServerClock } from "./servers/server-clock.ts";
import { SharedProbe } from "./servers/shared-probe.ts";
import { transferOf } from "./transfer.ts";
import { webhookLeases } from "./webhooks/webhook-leases.ts";
import { webhookStore } from "./webhooks/webhooks.ts";
import { commitNothing, type Perform, performOn, performOnce } from "./work.ts";

/** Opens the database, creating or migrating its schema first. Throws StoreOpenError. */
export async function openPostgresStore(
  address: PostgresAddress,
  {
    poolSize,
    limitMilliseconds,
    stopwatch,
    mustExist = false,
    claimLimits = usualClaimLimits,
    eventRetentionMs = usualEventRetentionMs,
    ...options
  }: AdapterOptions,
): Promise<Store> {
  await prepareDatabase(address, mustExist);
  const watch = watchOf(options);
  const attribution: Attribution = { request: undefined };
  const writeMetrics = new WriteMetrics(watch.metrics);
  const pools = openPools(address, { poolSize, limitMilliseconds, stopwatch, attribution, writeMetrics, watch });
  const { writes, read, acknowledge } = pools;
  const clock = await ServerClock.ask(pools.readPrimary).catch(async (error) => {
    await pools.close();
    throw explainOpenError(error);
  });
  // Of two standbys, one may show an event before the other does.
  const doubtMs = address.replicas.length > 1 ? trustMs + 2 * lookForEventsEveryMs : 0;
  const eventWatch = new EventWatch(() => newestPosition(read), lookForEventsEveryMs, doubtMs);
  const settler = new EventSettler(pools.settling, eventWatch.look, watch.note);
  const creates = petCreates(writes, acknowledge !== undefined, settler, attribution, writeMetrics);
  watch.metrics.watch("gauge", "write_queue_depth", "Writes that wait for their turn.", () => {
    return creates.depth + writes.waiting;
  });
  watchClaims(watch.metrics, () => countClaims(read, clock.now()));
  watchEventLog(watch.metrics, async () => Number((await read<{ bytes: string }>(eventLogBytes))[0]?.bytes));
  const probes = {
    // By its id, because the first of all may be behind many that were deleted.
    reads: new SharedProbe(() => read("SELECT 1 FROM store.pets WHERE id = 1")),
    writes: new SharedProbe(() => commitNothing(writes, acknowledge !== undefined)),
  };
  const room = new ClaimRoom(claimLimits, sharers);
  const expiry = new Expiry(watch.note, stopwatch);
  const settling =
    (perform: Perform): Perform =>
    (work) =>
      perform(work).finally(() => settler.soon());
  const create = async (pet: NewPet, origin: Origin): Promise<Pet> => {
    const created = await creates.add({ pet, origin });
    await acknowledge?.(created.position);
    return created.pet;
  };
  const perform = settling(performOn(writes));
  const createAllBy =
    (first: Perform, again: Perform, origin: () => Origin): PetStore["createAll"] =>
    (pets) =>
      createAll(first, again, pets, origin(), settler, writeMetrics);
  const wayOf = (origin: () => Origin): Way => ({
    origin,
    perform,
    create: (pet) => create(pet, origin()),
    createAll: createAllBy(performOn(writes), performOn(writes), origin),
  });
  const under = (claim: Claim, { origin }: Way): Way => {
    const again = performOnce(writes, claim, room, expiry);
    const once = forOneWrite(again);
    const performIt = settling(once);
    return {
      origin,
      perform: performIt,
      create: (pet) => performIt((query) => insertPet(query, { pet, origin: origin() })),
      createAll: createAllBy(once, again, origin),
    };
  };
  const asOperator = wayOf(() => ({ actor: operator, request: null, at: clock.now() }));
  const { drain: drainRecords, ...leases } = webhookLeases(
    pools.readPrimary,
    pools.deliveries,
    new EventInbox(asOperator.origin),
    () => settler.soon(),
  );
  const parts: WritingParts<Way> = {
    pets: (way) => petStore(read, way.perform, way, new EventInbox(way.origin)),
    orders: (way) => orderStore(read, way.perform, new EventInbox(way.origin)),
    categories: (way) => categoryStore(read, way.perform, new EventInbox(way.origin)),
    keys: (way) => keyStore(read, way.perform, new EventInbox(way.origin)),
    webhooks: (way) => webhookStore(read, way.perform, new EventInbox(way.origin), leases),
  };
  const store: Store = {
    pets: parts.pets(asOperator),
    orders: parts.orders(asOperator),
    categories: parts.categories(asOperator),
    keys: parts.keys(asOperator),
    webhooks: parts.webhooks(asOperator),
    events: eventStore(read, pools.readPrimary, eventWatch),
    export: (visitor) => exportPets(pools.exports, visitor),
    transfer: transferOf(writes, settler),
    clock: clock.now,
    attribution,
    quotas: quotaStore(pools.readPrimary),
    inventory: () => readInventory(read),
    inventoryOf: (categoryId) => readCategoryInventory(read, categoryId),
    by: (origin) => actingIn(wayOf(() => origin)),
    once: (claim) => actingIn(under(claim, asOperator)),
    async tidy(now) {
      while (await forgetClaims(writes, now, expiry.cutoff(now), expiry.latest(now)));
      await sumUpInventory(writes);
      await foldNames(writes.query, "pets");
      await foldNames(writes.query, "categories");
      await forgetQuotas(writes.query, now);
      while (await forgetEvents(writes, expiry.cutoff(now, eventRetentionMs)));
    },
    ready: (kind) => probes[kind].ask(),
    async close() {
      await creates.drain();
      await drainRecords();
      eventWatch.close();
      await settler.close();
      await clock.close();
      await pools.close();
    },
  };
  const actingIn = actingStores(store, parts, under);
  return store;
}

/** Whose doing writes are, and how they are made. */
interface Way {
  readonly origin: () => Origin;
  readonly perform: Perform;
  readonly create: PetStore["create"];
  readonly createAll: PetStore["createAll"];
}

/** How soon the events of other instances are noticed; one's own are at once. */
const lookForEventsEveryMs = 250;
/** How many instances keep to the limits of claims together; more of them may let somewhat more through. */
const sharers = 4;
