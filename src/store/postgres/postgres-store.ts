import type { PostgresAddress } from "../../domain/database-address.ts";
import { type ClaimLimits, ClaimRoom, usualClaimLimits } from "../claim-room.ts";
import { forOneWrite } from "../conclusion.ts";
import type { Note, PetStore, Store } from "../store.ts";
import { categoryStore } from "./categories.ts";
import { forgetClaims } from "./claims.ts";
import { Connection } from "./connection.ts";
import { readInventory, sumUpInventory } from "./inventory.ts";
import { keyStore } from "./keys.ts";
import { orderStore } from "./orders.ts";
import { insertPet, petCreates, petStore } from "./pets.ts";
import { explainOpenError, prepareDatabase } from "./prepare.ts";
import { Replicas } from "./replicas.ts";
import { ServerClock } from "./server-clock.ts";
import { transferOf } from "./transfer.ts";
import { type Perform, performOn, performOnce } from "./work.ts";

/** Opens the database, creating or migrating its schema first. Throws StoreOpenError. */
export async function openPostgresStore(
  address: PostgresAddress,
  { poolSize, limitMilliseconds, mustExist = false, claimLimits = usualClaimLimits, note = () => {} }: PostgresOptions,
): Promise<Store> {
  const { urls, schema, replicas: replicaUrls } = address;
  const hasReplicas = replicaUrls.length > 0;
  await prepareDatabase(address, mustExist);
  // Writes may wait for a standby, and must not take the connections of reads with them while they do.
  const writeSize = Math.ceil(poolSize * shareOfWrites);
  const onTooMany = () => {
    for (const connection of new Set([primary, readPrimary])) connection.shrink();
  };
  const shared = { urls, schema, role: "primary", limitMilliseconds, note, onTooMany } as const;
  // With standbys to read from, a write is saved only once they show it.
  const primary = new Connection({ ...shared, poolSize: writeSize, isAppliedOnStandbys: hasReplicas });
  const readPrimary = poolSize === 1 ? primary : new Connection({ ...shared, poolSize: poolSize - writeSize });
  const closePools = () => Promise.all([primary.close(), readPrimary.close()]);
  const clock = await ServerClock.ask(readPrimary.query).catch(async (error) => {
    await closePools();
    throw explainOpenError(error);
  });
  const standbys = replicaUrls.map((url) => new Connection({ urls: [url], schema, poolSize, role: "standby", note }));
  const replicas = new Replicas(readPrimary, standbys);
  await replicas.check();
  const read = replicas.query;
  const creates = petCreates(primary, hasReplicas);
  const room = new ClaimRoom(claimLimits, sharers);
  const storeThatWrites = (perform: Perform, create: PetStore["create"]): Store => ({
    pets: petStore(read, perform, create),
    orders: orderStore(read, perform),
    categories: categoryStore(read, perform),
    keys: keyStore(read, perform),
    transfer: transferOf(primary),
    clock: clock.now,
    inventory: () => readInventory(read),
    once(claim) {
      const performIt = forOneWrite(performOnce(primary, claim, room));
      return storeThatWrites(performIt, (pet) => performIt((query) => insertPet(query, pet)));
    },
    async tidy(now) {
      while (await forgetClaims(primary, now));
      await sumUpInventory(primary);
    },
    async ready() {
      // By its id, because the first of all may be behind many that were deleted.
      await primary.query("SELECT 1 FROM store.pets WHERE id = 1");
    },
    async close() {
      await creates.drain();
      await Promise.all([replicas.close(), clock.close()]);
      await closePools();
    },
  });
  return storeThatWrites(performOn(primary), (pet) => creates.add(pet));
}

export interface PostgresOptions {
  readonly poolSize: number;
  readonly limitMilliseconds?: number | undefined;
  /** Whether a schema that is not there is refused and not created. */
  readonly mustExist?: boolean | undefined;
  readonly claimLimits?: ClaimLimits | undefined;
  readonly note?: Note | undefined;
}

/** Of the connections to the primary. Most writes share one anyway. */
const shareOfWrites = 0.4;

/** How many instances keep to the limits of claims together; more of them may let somewhat more through. */
const sharers = 4;
