import type { PostgresAddress } from "../../base/database-address.ts";
import { type Origin, operator } from "../../domain/event.ts";
import type { NewPet } from "../../domain/pet.ts";
import { watchClaims } from "../claim-counts.ts";
import { type ClaimLimits, ClaimRoom, usualClaimLimits } from "../claim-room.ts";
import { forOneWrite } from "../conclusion.ts";
import { EventWatch, usualEventRetentionMs } from "../events.ts";
import { withIds } from "../id-ranges.ts";
import type { Attribution, PetStore, Store } from "../store.ts";
import { type WatchOptions, WriteMetrics, watchOf } from "../watch.ts";
import { categoryStore } from "./categories.ts";
import { countClaims, forgetClaims } from "./claims.ts";
import { EventInbox } from "./event-inbox.ts";
import { EventSettler } from "./event-settler.ts";
import { eventStore, forgetEvents, newestPosition } from "./events.ts";
import { exportPets } from "./export.ts";
import { readInventory, sumUpInventory } from "./inventory.ts";
import { keyStore } from "./keys.ts";
import { orderStore } from "./orders.ts";
import { insertAll, insertPet, petCreates, petStore } from "./pets.ts";
import { openPools } from "./pools.ts";
import { explainOpenError, prepareDatabase } from "./prepare.ts";
import { forgetQuotas, quotaStore } from "./quotas.ts";
import { ServerClock } from "./server-clock.ts";
import { SharedProbe } from "./shared-probe.ts";
import { transferOf } from "./transfer.ts";
import { webhookStore } from "./webhooks.ts";
import { commitNothing, type Perform, performOn, performOnce } from "./work.ts";

/** Opens the database, creating or migrating its schema first. Throws StoreOpenError. */
export async function openPostgresStore(
  address: PostgresAddress,
  {
    poolSize,
    limitMilliseconds,
    mustExist = false,
    claimLimits = usualClaimLimits,
    eventRetentionMs = usualEventRetentionMs,
    ...options
  }: PostgresOptions,
): Promise<Store> {
  await prepareDatabase(address, mustExist);
  const watch = watchOf(options);
  const attribution: Attribution = { request: undefined };
  const writeMetrics = new WriteMetrics(watch.metrics);
  const pools = openPools(address, { poolSize, limitMilliseconds, attribution, writeMetrics, watch });
  const { writes, read, acknowledge } = pools;
  const clock = await ServerClock.ask(pools.readPrimary).catch(async (error) => {
    await pools.close();
    throw explainOpenError(error);
  });
  const eventWatch = new EventWatch(() => newestPosition(read), lookForEventsEveryMs);
  const settler = new EventSettler(pools.settling, eventWatch.look, watch.note);
  const creates = petCreates(writes, acknowledge !== undefined, () => settler.floor, attribution, writeMetrics);
  watch.metrics.watch("gauge", "write_queue_depth", "Writes that wait for their turn.", () => {
    return creates.depth + writes.waiting;
  });
  watchClaims(watch.metrics, () => countClaims(read, clock.now()));
  const probes = {
    // By its id, because the first of all may be behind many that were deleted.
    reads: new SharedProbe(() => read("SELECT 1 FROM store.pets WHERE id = 1")),
    writes: new SharedProbe(() => commitNothing(writes, acknowledge !== undefined)),
  };
  const room = new ClaimRoom(claimLimits, sharers);
  const events = eventStore(read, pools.readPrimary, eventWatch);
  const settling =
    (perform: Perform): Perform =>
    (work) =>
      perform(work).finally(() => settler.soon());
  const storeThatWrites = (perform: Perform, create: PetStore["create"], origin: () => Origin): Store => {
    const inbox = new EventInbox(origin);
    const createAll: PetStore["createAll"] = async (pets) => {
      const ids = await perform((query) => {
        writeMetrics.addedTogether(pets.length);
        return insertAll(query, pets, origin());
      });
      return withIds(pets, ids);
    };
    return {
      pets: petStore(read, perform, { create, createAll }, inbox),
      orders: orderStore(read, perform, inbox),
      categories: categoryStore(read, perform, inbox),
      keys: keyStore(read, perform, inbox),
      events,
      export: (visitor) => exportPets(pools.exports, visitor),
      webhooks: webhookStore(read, pools.readPrimary, perform, inbox),
      transfer: transferOf(writes, settler),
      clock: clock.now,
      attribution,
      quotas: quotaStore(pools.readPrimary),
      inventory: () => readInventory(read),
      by: (whose) =>
        storeThatWrites(
          settling(performOn(writes)),
          createFor(() => whose),
          () => whose,
        ),
      once(claim) {
        const performIt = settling(forOneWrite(performOnce(writes, claim, room)));
        const createOnce = (pet: NewPet) => performIt((query) => insertPet(query, { pet, origin: origin() }));
        return storeThatWrites(performIt, createOnce, origin);
      },
      async tidy(now) {
        while (await forgetClaims(writes, now));
        await sumUpInventory(writes);
        await forgetQuotas(writes.query, now);
        while (await forgetEvents(writes, now - eventRetentionMs));
      },
      ready: (kind) => probes[kind].ask(),
      async close() {
        await creates.drain();
        eventWatch.close();
        await settler.close();
        await clock.close();
        await pools.close();
      },
    };
  };
  const createFor =
    (origin: () => Origin): PetStore["create"] =>
    async (pet) => {
      const created = await creates.add({ pet, origin: origin() }).catch((error) => {
        // It may have been made all the same.
        settler.soon();
        throw error;
      });
      if (created.isSettled) eventWatch.look();
      else settler.soon();
      await acknowledge?.(created.position);
      return created.pet;
    };
  const byOperator = () => ({ actor: operator, request: null, at: clock.now() });
  return storeThatWrites(settling(performOn(writes)), createFor(byOperator), byOperator);
}

export interface PostgresOptions extends WatchOptions {
  readonly poolSize: number;
  readonly limitMilliseconds?: number | undefined;
  /** Whether a schema that is not there is refused and not created. */
  readonly mustExist?: boolean | undefined;
  readonly claimLimits?: ClaimLimits | undefined;
  readonly eventRetentionMs?: number | undefined;
}

/** How soon the events of other instances are noticed; one's own are at once. */
const lookForEventsEveryMs = 250;
/** How many instances keep to the limits of claims together; more of them may let somewhat more through. */
const sharers = 4;
