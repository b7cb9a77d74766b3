import { setTimeout } from "node:timers/promises";
import { requireKnownSchema, type SchemaVersion } from "../../schema-version.ts";
import { type MigrationPlan, StoreOpenError } from "../../store.ts";
import { LockMissed, RightMissing } from "../errors.ts";
import type { Query } from "../query.ts";
import type { Connection } from "../servers/connection.ts";
import { type Migration, migrations } from "./migrations.ts";
import { foreign, haveHistory, missingIn, namesTaken, requireFree, requireFreeFor } from "./names-taken.ts";
import type { SchemaPart } from "./schema-parts.ts";

/** Returns what `migrate` would do, and what it could not restore. Throws StoreOpenError. */
export async function pendingMigrations(
  { query }: Connection,
  schema: string,
): Promise<Pick<MigrationPlan, "pending" | "isNewer"> & Pick<FoundSchema, "missing">> {
  const found = await findSchema(query, schema);
  requireKnownSchema("The database", found, migrations.length);
  return {
    pending: migrations.slice(found.version).map(({ name, version, oldestProgram }) => ({
      name,
      isOnline: found.version === 0 || oldestProgram < version,
    })),
    isNewer: found.version > migrations.length,
    missing: found.missing,
  };
}

/** Throws StoreOpenError. */
export async function requireStore({ query }: Connection, schema: string): Promise<void> {
  if ((await findSchema(query, schema)).version > 0) return;
  throw new StoreOpenError(
    `The PostgreSQL database has no store in its schema ${schema}. Name an existing store; only serve, migrate and copy --to create a new one.`,
  );
}

/**
 * Brings the schema up to date, while others use it. Of many instances that start at once, one migrates, and the others poll for its
 * lock: waiting for it in the server would block the building of an index, which waits for all statements that began before it. Needs a
 * pool of two connections, because one has the lock while the other works.
 */
export async function migrate(connection: Connection, schema: string, wanted = migrations): Promise<void> {
  const migrateUnderLock = async (query: Query) => {
    await query("SET LOCAL idle_in_transaction_session_timeout = 0");
    const [lock] = await query<{ isOurs: boolean }>(tryLock(query));
    if (!lock?.isOurs) return false;
    const taken = await namesTaken(query, schema, wanted);
    if (haveHistory(taken)) {
      await changeSchema(connection, query, wanted);
    } else {
      requireFree(schema, taken);
      await makeSchema(query, schema, wanted);
    }
    return true;
  };
  while (!(await connection.transaction(migrateUnderLock))) await setTimeout(lockAgainMs);
}

/** Makes everything at once: there are no writes yet to block, and no rows to change in batches. */
async function makeSchema(query: Query, schema: string, wanted: readonly Migration[]): Promise<void> {
  // A user who may change the schema need not be allowed to create one.
  const found = await query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (found.length === 0) await query(`CREATE SCHEMA ${query.schema}`);
  await query(searchPath(query));
  await query(migrationTable);
  for (const migration of wanted) {
    for (const step of migration.steps) {
      if ("sql" in step) await query(step.sql);
      else if ("index" in step) await query(`CREATE INDEX ${step.index} ON ${step.on}`);
    }
    await noteDone(query, migration);
  }
}

/** The connection that has the lock touches no table: until its end, that would keep others from changing the table. */
async function changeSchema(connection: Connection, lockHolder: Query, wanted: readonly Migration[]): Promise<void> {
  const { version } = await recordedVersion(connection.query);
  if (version >= wanted.length) return;
  await patientTransaction(connection, (query) => query(migrationTable));
  for (const migration of wanted.slice(version)) {
    for (const step of migration.steps) {
      // Fails if the connection that has the lock was lost.
      await lockHolder("SELECT 1");
      if ("sql" in step) await patientTransaction(connection, (query) => query(step.sql));
      else if ("index" in step) await buildIndex(connection.query, step);
      else if ("batches" in step) await runBatches(connection, step.batches);
      else await step.change(connection.query);
    }
    await patientTransaction(connection, (query) => noteDone(query, migration));
  }
}

/** Waiting for a table lock blocks all statements queued behind it, so this gives up soon and tries again. */
async function patientTransaction<Result>(
  connection: Connection,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await connection.transaction(async (query) => {
        await query(`${searchPath(query)}; SET LOCAL lock_timeout = ${maxLockWaitMs}`);
        return await work(query);
      });
    } catch (error) {
      if (!(error instanceof LockMissed)) throw error;
    }
    await setTimeout(lockAgainMs);
  }
}

/** An interrupted build leaves an index that every write keeps up and no read uses. */
async function buildIndex(query: Query, { index, on }: { readonly index: string; readonly on: string }): Promise<void> {
  const broken = await query(
    `SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     WHERE relnamespace = to_regnamespace($1) AND relname = $2 AND NOT indisvalid`,
    [query.schema, index],
  );
  if (broken.length > 0) await query(`DROP INDEX CONCURRENTLY ${query.schema}.${index}`);
  await query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${index} ON ${query.schema}.${on}`);
}

async function runBatches(connection: Connection, statement: string): Promise<void> {
  let last: string | undefined = "";
  while (last !== undefined) {
    const after: string = last;
    const rows = await patientTransaction(connection, (query) => query<{ last: string }>(statement, [after]));
    last = rows[0]?.last;
  }
}

/** Migrations are written without the schema, and functions keep the search path with which they were made. */
function searchPath({ schema }: Query): string {
  return `SET LOCAL search_path TO ${schema}`;
}

async function noteDone(query: Query, { version, name, oldestProgram }: Migration): Promise<void> {
  await query("INSERT INTO migrations (version, name, oldest_program) VALUES ($1, $2, $3)", [
    version,
    name,
    oldestProgram,
  ]);
}

/** The first ones had no `oldest_program`, which then stands for their own version. */
const migrationTable = `
  CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
  ALTER TABLE migrations ADD COLUMN IF NOT EXISTS oldest_program integer`;

/** A schema that has a store, or could get one. */
export interface FoundSchema extends SchemaVersion {
  /** Vital parts that its migrations have made, and that are gone. */
  readonly missing: readonly SchemaPart[];
}

/** Throws StoreOpenError if the schema has something of another application with a name that the store needs. */
export async function findSchema(query: Query, schema: string): Promise<FoundSchema> {
  const taken = await namesTaken(query, schema, migrations);
  const found = haveHistory(taken) ? await recordedVersion(query) : noSchema;
  if (found.isHidden)
    throw new RightMissing("InternalServerError", "Something went wrong in the service.", historyHidden);
  if (found.isForeign) throw foreign(schema, { type: "table", name: "migrations" });
  if (found.version === 0) requireFree(schema, taken);
  else requireFreeFor(migrations.slice(found.version), schema, taken);
  // A newer program may have removed parts.
  const made = found.version > migrations.length ? [] : migrations.slice(0, found.version);
  const missing = missingIn(taken, made, schema);
  if (missing.length === 0) return { ...found, missing };
  // Another instance may have made them after the names were read, and before the version was.
  return { ...found, missing: missingIn(await namesTaken(query, schema, made), made, schema) };
}

interface RecordedVersion extends SchemaVersion {
  /** True if the history does not begin with the store's first migration. */
  readonly isForeign: boolean;
  /** True if the user sees no rows, but others may. */
  readonly isHidden: boolean;
}

async function recordedVersion(query: Query): Promise<RecordedVersion> {
  // JSON can name a column that may not exist.
  const [row] = await query<RecordedVersion>(
    `SELECT coalesce(max(version), 0) AS version,
            coalesce(max(coalesce((to_jsonb(migrations)->>'oldest_program')::integer, version)), 0) AS "oldestProgram",
            count(*) > 0 AND NOT coalesce(bool_or(version = 1 AND name = $1), false) AS "isForeign",
            count(*) = 0 AND row_security_active('${query.schema}.migrations') AS "isHidden"
     FROM ${query.schema}.migrations`,
    [migrations[0]?.name ?? ""],
  );
  return row ?? noSchema;
}

const noSchema: RecordedVersion = { version: 0, oldestProgram: 0, isForeign: false, isHidden: false };
const historyHidden = "row-level security hides the rows of the table migrations from the user";

/**
 * Locks the schema. Version 1.0.0 locks all schemas at once, by "pets" in ASCII: newer programs share that lock, so that it keeps
 * out only those.
 */
function tryLock({ schema }: Query): string {
  return `SELECT pg_try_advisory_xact_lock_shared(${0x70657473})
    AND pg_try_advisory_xact_lock(hashtext('animal-store migrations'), hashtext('${schema}.migrations')) AS "isOurs"`;
}

const lockAgainMs = 100;
/** How long writes may wait behind a change of their table that has not begun. */
const maxLockWaitMs = 200;
