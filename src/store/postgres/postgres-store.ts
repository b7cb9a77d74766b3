import type { PostgresAddress } from "../../domain/database-address.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type ClaimLimits, ClaimRoom, usualClaimLimits } from "../claim-room.ts";
import { forOneWrite } from "../conclusion.ts";
import { type MigrationPlan, type Note, type PetStore, type Store, StoreOpenError } from "../store.ts";
import { categoryStore } from "./categories.ts";
import { forgetClaims } from "./claims.ts";
import { Connection } from "./connection.ts";
import { RightMissing } from "./errors.ts";
import { readInventory, sumUpInventory } from "./inventory.ts";
import { keyStore } from "./keys.ts";
import { migrate, pendingMigrations, requireStore } from "./migrate.ts";
import { orderStore } from "./orders.ts";
import { insertPet, petCreates, petStore } from "./pets.ts";
import { Replicas } from "./replicas.ts";
import { hindranceToChange, missingGrants } from "./rights.ts";
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
  try {
    const { pending } = await withConnection(address, undefined, async (connection) => {
      await requireSupport(connection, hasReplicas);
      if (mustExist) await requireStore(connection, schema);
      return await requireRights(connection, schema);
    });
    if (pending.length > 0) {
      await withConnection(address, longestMigration, (connection) => migrate(connection, schema)).catch((error) => {
        throw error instanceof RightMissing ? notUpToDate(pending) : error;
      });
    }
  } catch (error) {
    throw explainOpenError(error);
  }
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
      await primary.query("SELECT 1 FROM store.pets LIMIT 1");
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

/** For what is done before the service starts: one connection, which is gone before the pool takes its own. */
async function withConnection<Result>(
  address: PostgresAddress,
  limitMilliseconds: number | undefined,
  use: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = new Connection({ ...address, poolSize: 1, role: "primary", limitMilliseconds, note: () => {} });
  try {
    return await use(connection);
  } finally {
    await connection.close();
  }
}

/** A migration of a large table, or waiting for another instance that makes one, takes longer than any request may. */
const longestMigration = 3_600_000;

/** What opening the database would do to its schema, and what the user lacks. Throws StoreOpenError. */
export async function planPostgresMigration(address: PostgresAddress): Promise<MigrationPlan> {
  try {
    return await withConnection(address, undefined, (connection) => planOf(connection, address.schema));
  } catch (error) {
    throw explainOpenError(error);
  }
}

async function planOf(connection: Connection, schema: string): Promise<MigrationPlan> {
  const grants = await missingGrants(connection.query, schema);
  // Who may not read what was done to the schema cannot be told what is to be done.
  const pending = await pendingMigrations(connection, schema).catch((error) => {
    if (error instanceof RightMissing && grants.length > 0) return [];
    throw error;
  });
  const hindrance = pending.length > 0 ? await hindranceToChange(connection.query, schema) : undefined;
  return { pending, grants, hindrance };
}

async function requireRights(connection: Connection, schema: string): Promise<MigrationPlan> {
  const plan = await planOf(connection, schema);
  if (plan.grants.length === 0) return plan;
  throw new StoreOpenError(
    `The PostgreSQL user may not do what the service does. Have the owner of the schema run: ${plan.grants.join(" ")}`,
  );
}

function notUpToDate(pending: readonly string[]): StoreOpenError {
  return new StoreOpenError(
    `The schema of the database is not up to date, and the PostgreSQL user may not change it. Run animal-store migrate as one who may; to be done: ${pending.join("; ")}.`,
  );
}

function explainOpenError(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  return new StoreOpenError(`The PostgreSQL database cannot be used: ${error.cause}.`);
}

async function requireSupport(connection: Connection, hasReplicas: boolean): Promise<void> {
  const [server] = await connection.query<{ version: string; encoding: string; standbys: string }>(
    `SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding,
            current_setting('synchronous_standby_names') AS standbys`,
  );
  if (Number(server?.version) < oldestVersion) {
    throw new StoreOpenError("The PostgreSQL server is too old. Use version 15 or later.");
  }
  if (server?.encoding !== "UTF8") {
    throw new StoreOpenError(`The PostgreSQL database has the encoding ${server?.encoding}. Use one with UTF8.`);
  }
  if (hasReplicas && server.standbys === "") {
    throw new StoreOpenError(
      "--replica needs synchronous_standby_names to be set on the primary: without it, a client might not find on a standby what it has just been told was saved.",
    );
  }
}

const oldestVersion = 150_000;
