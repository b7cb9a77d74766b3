import type { PostgresAddress } from "../../base/database-address.ts";
import { watchClaims } from "../claim-counts.ts";
import { type ClaimLimits, ClaimRoom, usualClaimLimits } from "../claim-room.ts";
import { forOneWrite } from "../conclusion.ts";
import type { Attribution, PetStore, Store } from "../store.ts";
import { type WatchOptions, WriteMetrics, watchOf } from "../watch.ts";
import { categoryStore } from "./categories.ts";
import { countClaims, forgetClaims } from "./claims.ts";
import { readInventory, sumUpInventory } from "./inventory.ts";
import { keyStore } from "./keys.ts";
import { orderStore } from "./orders.ts";
import { insertPet, petCreates, petStore } from "./pets.ts";
import { openPools } from "./pools.ts";
import { explainOpenError, prepareDatabase } from "./prepare.ts";
import { forgetQuotas, quotaStore } from "./quotas.ts";
import { ServerClock } from "./server-clock.ts";
import { SharedProbe } from "./shared-probe.ts";
import { transferOf } from "./transfer.ts";
import { commitNothing, type Perform, performOn, performOnce } from "./work.ts";

/** Opens the database, creating or migrating its schema first. Throws StoreOpenError. */
export async function openPostgresStore(
  address: PostgresAddress,
  { poolSize, limitMilliseconds, mustExist = false, claimLimits = usualClaimLimits, ...options }: PostgresOptions,
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
  const creates = petCreates(writes, acknowledge !== undefined, attribution, writeMetrics);
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
  const storeThatWrites = (perform: Perform, create: PetStore["create"]): Store => ({
    pets: petStore(read, perform, create),
    orders: orderStore(read, perform),
    categories: categoryStore(read, perform),
    keys: keyStore(read, perform),
    transfer: transferOf(writes),
    clock: clock.now,
    attribution,
    quotas: quotaStore(pools.readPrimary),
    inventory: () => readInventory(read),
    once(claim) {
      const performIt = forOneWrite(performOnce(writes, claim, room));
      return storeThatWrites(performIt, (pet) => performIt((query) => insertPet(query, pet)));
    },
    async tidy(now) {
      while (await forgetClaims(writes, now));
      await sumUpInventory(writes);
      await forgetQuotas(writes.query, now);
    },
    ready: (kind) => probes[kind].ask(),
    async close() {
      await creates.drain();
      await clock.close();
      await pools.close();
    },
  });
  return storeThatWrites(performOn(writes), async (pet) => {
    const created = await creates.add(pet);
    await acknowledge?.(created.position);
    return created.pet;
  });
}

export interface PostgresOptions extends WatchOptions {
  readonly poolSize: number;
  readonly limitMilliseconds?: number | undefined;
  /** Whether a schema that is not there is refused and not created. */
  readonly mustExist?: boolean | undefined;
  readonly claimLimits?: ClaimLimits | undefined;
}

/** How many instances keep to the limits of claims together; more of them may let somewhat more through. */
const sharers = 4;
