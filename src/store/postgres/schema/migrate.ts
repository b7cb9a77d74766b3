import { setTimeout } from "node:timers/promises";
import { requireKnownSchema, type SchemaVersion } from "../../schema-version.ts";
import { StoreOpenError } from "../../store.ts";
import { LockTimedOut } from "../errors.ts";
import type { Query } from "../query.ts";
import type { Connection } from "../servers/connection.ts";
import { type Migration, migrations } from "./migrations.ts";
import { findForeignTable, findMissingParts, parseSchemaParts, readTitles, type SchemaPart } from "./schema-parts.ts";

/**
 * Brings the schema up to date while other programs use it. One instance migrates, and the others poll for its lock: a wait in the server
 * would deadlock with the build of an index, which waits for earlier statements. Needs two connections, because one holds the lock.
 */
export async function migrate(connection: Connection, schema: string, wantedMigrations = migrations): Promise<void> {
  const migrateUnderLock = async (query: Query) => {
    await query("SET LOCAL idle_in_transaction_session_timeout = 0");
    const [lock] = await query<{ isOurs: boolean }>(tryLockQuery(query));
    if (!lock?.isOurs) return false;
    // Reads the version on another connection: a transaction that has read the table `migrations` would block changes to the table.
    const { version } = await findSchema(connection.query, schema);
    if (version === 0) await createSchema(query, schema, wantedMigrations);
    else if (version < wantedMigrations.length) await changeSchema(connection, query, wantedMigrations.slice(version));
    return true;
  };
  while (!(await connection.transaction(migrateUnderLock))) await setTimeout(lockRetryMs);
}

/** Creates the whole schema in one transaction: there are no writes to block yet, and no rows to change in batches. */
async function createSchema(query: Query, schema: string, wantedMigrations: readonly Migration[]): Promise<void> {
  // Checks first, because a user who may change the schema may lack the privilege to create one.
  const existing = await query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (existing.length === 0) await query(`CREATE SCHEMA ${query.schema}`);
  await query(searchPathStatement(query));
  await query(migrationTable);
  for (const migration of wantedMigrations) {
    for (const step of migration.steps) {
      if ("sql" in step) await query(step.sql);
      else if ("index" in step) await query(`CREATE INDEX ${step.index} ON ${step.on}`);
    }
    await recordMigration(query, migration);
  }
}

async function changeSchema(connection: Connection, lockHolder: Query, pending: readonly Migration[]): Promise<void> {
  await transactWithRetries(connection, (query) => query(migrationTable));
  for (const migration of pending) {
    for (const step of migration.steps) {
      // Fails if the connection that holds the lock was lost.
      await lockHolder("SELECT 1");
      if ("sql" in step) await transactWithRetries(connection, (query) => query(step.sql));
      else if ("index" in step) await buildIndex(connection.query, step);
      else if ("batches" in step) await runBatches(connection, step.batches);
      else await step.change(connection.query);
    }
    await transactWithRetries(connection, (query) => recordMigration(query, migration));
  }
}

/** Repeats a transaction until it gets its locks. Each wait for a lock is short, because other sessions queue behind the waiting one. */
async function transactWithRetries<Result>(
  connection: Connection,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await connection.transaction(async (query) => {
        await query(`${searchPathStatement(query)}; SET LOCAL lock_timeout = ${maxLockWaitMs}`);
        return await work(query);
      });
    } catch (error) {
      if (!(error instanceof LockTimedOut)) throw error;
    }
    await setTimeout(lockRetryMs);
  }
}

/** Builds an index, after dropping the invalid index of an interrupted build. */
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
    const rows = await transactWithRetries(connection, (query) => query<{ last: string }>(statement, [after]));
    last = rows[0]?.last;
  }
}

/** Migrations name no schema, and functions keep the search path of their creation. */
function searchPathStatement({ schema }: Query): string {
  return `SET LOCAL search_path TO ${schema}`;
}

async function recordMigration(query: Query, { version, name, oldestProgram }: Migration): Promise<void> {
  const text = "INSERT INTO migrations (version, name, oldest_program) VALUES ($1, $2, $3)";
  await query(text, [version, name, oldestProgram]);
}

/** Early migrations have no `oldest_program`; NULL stands for their own version. */
const migrationTable = `
  CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now());
  ALTER TABLE migrations ADD COLUMN IF NOT EXISTS oldest_program integer`;

export interface FoundSchema extends SchemaVersion {
  /** Parts that the applied migrations have created, and that no longer exist. */
  readonly missing: readonly SchemaPart[];
}

/** Throws StoreOpenError if another application uses a name that the store needs, or if a newer program has written the schema. */
export async function findSchema(query: Query, schema: string): Promise<FoundSchema> {
  const titles = await readTitles(query, parseSchemaParts(migrations, schema));
  const { isForeign, ...found } = titles.has("history") ? await readVersion(query) : noVersion;
  const foreign = isForeign ? "table migrations" : findForeignTitle(titles, found.version, schema);
  if (foreign !== undefined) {
    throw new StoreOpenError(
      `The schema ${schema} of the PostgreSQL database seems to belong to another application: animal-store did not create its ${foreign}. Choose another one with ?schema=NAME in the URL; if it is a partly restored store, restore all of it.`,
    );
  }
  requireKnownSchema("The database", found, migrations.length);
  // A newer program may have removed parts, so none counts as missing.
  const applied = found.version > migrations.length ? [] : migrations.slice(0, found.version);
  const parts = parseSchemaParts(applied, schema);
  // The titles are read again after the version, because another instance may have migrated in between.
  return { ...found, missing: findMissingParts(parts, await readTitles(query, parts)) };
}

/** Finds an object of another application. `CREATE TABLE IF NOT EXISTS` would adopt a foreign table, such as `orders`. */
function findForeignTitle(titles: ReadonlySet<string>, version: number, schema: string): string | undefined {
  if (version > 0) {
    const pending = migrations.slice(version).map((migration) => parseSchemaParts([migration], schema));
    return pending.map((parts) => findForeignTable(parts, titles)).find((title) => title !== undefined);
  }
  const ownTitles = titles.has("history") ? ["history", "table migrations"] : [];
  const foreign = [...titles].filter((title) => !title.includes(".") && !ownTitles.includes(title));
  return foreign.find((title) => title.startsWith("table ")) ?? foreign[0];
}

/** Reads the version of the schema. The history of another application does not begin with the store's first migration. */
async function readVersion(query: Query): Promise<typeof noVersion> {
  // Reads the column through JSON, because it may not exist yet.
  const [row = noVersion] = await query<typeof noVersion>(
    `SELECT coalesce(max(version), 0) AS version,
            coalesce(max(coalesce((to_jsonb(migrations)->>'oldest_program')::integer, version)), 0) AS "oldestProgram",
            count(*) > 0 AND NOT coalesce(bool_or(version = 1 AND name = $1), false) AS "isForeign"
     FROM ${query.schema}.migrations`,
    [migrations[0]?.name ?? ""],
  );
  return row;
}

const noVersion = { version: 0, oldestProgram: 0, isForeign: false };

/** The first lock ("pets" in ASCII) is shared, so it excludes only version 1.0.0, which takes that lock exclusively for all schemas. */
function tryLockQuery({ schema }: Query): string {
  return `SELECT pg_try_advisory_xact_lock_shared(${0x70657473})
    AND pg_try_advisory_xact_lock(hashtext('animal-store migrations'), hashtext('${schema}.migrations')) AS "isOurs"`;
}

const lockRetryMs = 100;
const maxLockWaitMs = 200;
