import { setTimeout } from "node:timers/promises";
import { refuseUnknown, type SchemaVersion } from "../../schema-version.ts";
import { type MigrationPlan, StoreOpenError } from "../../store.ts";
import { foldedName } from "../by-name.ts";
import { LockMissed, RightMissing } from "../errors.ts";
import type { Query } from "../query.ts";
import type { Connection } from "../servers/connection.ts";
import { foldNames, isFoldedOtherwise } from "./fold-names.ts";
import type { Migration } from "./migration.ts";
import animalsAndKeys from "./migrations/001-animals-and-keys.sql" with { type: "text" };
import storeArea from "./migrations/002-1-store-area.sql" with { type: "text" };
import countAnimals from "./migrations/002-2-count-animals.sql" with { type: "text" };
import keyLines from "./migrations/003-1-key-lines.sql" with { type: "text" };
import unsealClaims from "./migrations/003-2-unseal-claims.sql" with { type: "text" };
import sharedQuotas from "./migrations/004-shared-quotas.sql" with { type: "text" };
import events from "./migrations/005-events.sql" with { type: "text" };
import webhooks from "./migrations/006-webhooks.sql" with { type: "text" };
import animalsByName from "./migrations/007-animals-by-name.sql" with { type: "text" };
import categoriesByName from "./migrations/008-categories-by-name.sql" with { type: "text" };
import eventsInLots from "./migrations/009-events-in-lots.sql" with { type: "text" };
import categoriesByStatus from "./migrations/010-categories-by-status.sql" with { type: "text" };
import unicodeNames from "./migrations/011-unicode-names.sql" with { type: "text" };
import quotaUses from "./migrations/012-quota-uses.sql" with { type: "text" };
import { foreign, haveHistory, missingIn, namesTaken, requireFree, requireFreeFor } from "./names-taken.ts";
import type { SchemaPart } from "./schema-parts.ts";

/** The condition of indexes that the first programs with folded names use. */
const isUnfolded = "folded_name IS NULL AND octet_length(name) > char_length(name)";

/** Never changed once released: what is to be different is a new migration at the end. */
export const migrations: readonly Migration[] = [
  { version: 1, name: "animals and keys", oldestProgram: 1, steps: [{ sql: animalsAndKeys }] },
  {
    version: 2,
    name: "orders, categories, inventory and repeated requests",
    oldestProgram: 1,
    steps: [{ sql: storeArea }, { sql: countAnimals }],
  },
  {
    version: 3,
    name: "lines of keys",
    // Those before seal new keys in a way that can be guessed.
    oldestProgram: 3,
    steps: [
      { sql: keyLines },
      { index: "claims_by_line", on: "store.claims (line, created_at)" },
      { batches: unsealClaims },
    ],
  },
  { version: 4, name: "quotas that instances share", oldestProgram: 3, steps: [{ sql: sharedQuotas }] },
  // Programs before it would change what the log then says nothing of.
  { version: 5, name: "events", oldestProgram: 5, steps: [{ sql: events }] },
  { version: 6, name: "webhooks", oldestProgram: 5, steps: [{ sql: webhooks }] },
  {
    version: 7,
    name: "animals by name",
    // Migration 11 folds the names.
    oldestProgram: 5,
    steps: [
      { sql: animalsByName },
      { index: "pets_unfolded", on: `store.pets (id) WHERE ${isUnfolded}` },
      { index: "pets_by_name", on: `store.pets ((${foldedName}), id)` },
    ],
  },
  {
    version: 8,
    name: "categories by name",
    oldestProgram: 5,
    steps: [
      { sql: categoriesByName },
      { index: "categories_unfolded", on: `store.categories (id) WHERE ${isUnfolded}` },
      { index: "categories_by_name", on: `store.categories ((${foldedName}), id)` },
    ],
  },
  // Programs before it would take a lot for one event.
  { version: 9, name: "events in lots", oldestProgram: 9, steps: [{ sql: eventsInLots }] },
  // Programs before it would look through all animals for those of a category.
  { version: 10, name: "categories by status", oldestProgram: 10, steps: [{ sql: categoriesByStatus }] },
  {
    version: 11,
    name: "names folded as Unicode says",
    // Names that earlier programs write are folded again soon after.
    oldestProgram: 10,
    steps: [
      { sql: unicodeNames },
      { index: "pets_folded_otherwise", on: `store.pets (id) WHERE ${isFoldedOtherwise}` },
      { index: "categories_folded_otherwise", on: `store.categories (id) WHERE ${isFoldedOtherwise}` },
      { change: (query) => foldNames(query, "pets") },
      { change: (query) => foldNames(query, "categories") },
    ],
  },
  // Earlier programs count in a table of their own until they are replaced.
  { version: 12, name: "quotas in sliding windows", oldestProgram: 10, steps: [{ sql: quotaUses }] },
];

/** What `migrate` would do, and what it could not make again. Throws StoreOpenError. */
export async function pendingMigrations(
  { query }: Connection,
  schema: string,
): Promise<Pick<MigrationPlan, "pending" | "isNewer"> & Pick<FoundSchema, "missing">> {
  const found = await findSchema(query, schema);
  refuseUnknown("The database", found, migrations.length);
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
 * Brings the schema up to date, while others use it. Of many instances that start at once, one does it and the others wait
 * for that. A pool of two connections is needed: one has the lock while the other works.
 */
export async function migrate(connection: Connection, schema: string, wanted = migrations): Promise<void> {
  while (!(await migrateUnderLock(connection, schema, wanted))) await setTimeout(lockAgainMs);
}

/**
 * Returns false if another has the lock. To wait for it in the server would be to hold up the building of an index, which
 * waits for all statements that began before it.
 */
async function migrateUnderLock(
  connection: Connection,
  schema: string,
  wanted: readonly Migration[],
): Promise<boolean> {
  return await connection.transaction(async (query) => {
    await query("SET LOCAL idle_in_transaction_session_timeout = 0");
    const [lock] = await query<{ isOurs: boolean }>(tryLock);
    if (!lock?.isOurs) return false;
    const taken = await namesTaken(query, schema, wanted);
    if (haveHistory(taken)) {
      await changeSchema(connection, query, schema, wanted);
    } else {
      requireFree(schema, taken);
      await makeSchema(query, schema, wanted);
    }
    return true;
  });
}

/** All at once: there are no writes yet to block, and no rows to change in batches. */
async function makeSchema(query: Query, schema: string, wanted: readonly Migration[]): Promise<void> {
  // A user who may change the schema need not be allowed to create one.
  const found = await query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
  if (found.length === 0) await query(`CREATE SCHEMA "${schema}"`);
  await query(searchPath(schema));
  await query(migrationTable);
  for (const migration of wanted) {
    for (const step of migration.steps) {
      if ("sql" in step) await query(step.sql);
      else if ("index" in step) await query(`CREATE INDEX ${step.index} ON ${step.on}`);
    }
    await noteDone(query, migration);
  }
}

/** The connection that has the lock touches no table, because it would keep others from changing that until its end. */
async function changeSchema(
  connection: Connection,
  lockHolder: Query,
  schema: string,
  wanted: readonly Migration[],
): Promise<void> {
  const { version } = await recordedVersion(connection.query);
  if (version >= wanted.length) return;
  const inTransaction = (work: (query: Query) => Promise<unknown>) => patientTransaction(connection, schema, work);
  await inTransaction((query) => query(migrationTable));
  for (const migration of wanted.slice(version)) {
    for (const step of migration.steps) {
      // Fails if the connection that has the lock was lost.
      await lockHolder("SELECT 1");
      if ("sql" in step) await inTransaction((query) => query(step.sql));
      else if ("index" in step) await buildIndex(connection, schema, step);
      else if ("batches" in step) await runBatches(connection, step.batches);
      else await step.change(connection.query);
    }
    await inTransaction((query) => noteDone(query, migration));
  }
}

/** Waiting for a table lock blocks everything queued behind it, so this gives up soon and tries again. */
async function patientTransaction(
  connection: Connection,
  schema: string,
  work: (query: Query) => Promise<unknown>,
): Promise<void> {
  for (;;) {
    try {
      await connection.transaction(async (query) => {
        await query(`${searchPath(schema)}; SET LOCAL lock_timeout = ${longestLockWaitMs}`);
        await work(query);
      });
      return;
    } catch (error) {
      if (!(error instanceof LockMissed)) throw error;
    }
    await setTimeout(lockAgainMs);
  }
}

/** A run that was broken off leaves an index that every write keeps up and no read uses. */
async function buildIndex(
  { query }: Connection,
  schema: string,
  { index, on }: { readonly index: string; readonly on: string },
): Promise<void> {
  const broken = await query(
    `SELECT 1 FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
     JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = $1 AND relname = $2 AND NOT indisvalid`,
    [schema, index],
  );
  if (broken.length > 0) await query(`DROP INDEX CONCURRENTLY store.${index}`);
  await query(`CREATE INDEX CONCURRENTLY IF NOT EXISTS ${index} ON ${on}`);
}

async function runBatches({ query }: Connection, statement: string): Promise<void> {
  let last: string | undefined = "";
  while (last !== undefined) {
    const rows: { last: string }[] = await query<{ last: string }>(statement, [last]);
    last = rows[0]?.last;
  }
}

/** Migrations are written without the schema, and functions keep this as it was when they were made. */
function searchPath(schema: string): string {
  return `SET LOCAL search_path TO "${schema}"`;
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

/** What is in a schema that is ours, or could be. */
export interface FoundSchema extends SchemaVersion {
  /** What its migrations have made, is not there, and cannot be done without. */
  readonly missing: readonly SchemaPart[];
}

/** Throws StoreOpenError if something in the schema is not ours, but has a name that we need. */
export async function findSchema(query: Query, schema: string): Promise<FoundSchema> {
  const taken = await namesTaken(query, schema, migrations);
  const found = haveHistory(taken) ? await recordedVersion(query) : noSchema;
  if (found.isHidden)
    throw new RightMissing("InternalServerError", "Something went wrong in the service.", historyHidden);
  if (found.isForeign) throw foreign(schema, { type: "table", name: "migrations" });
  if (found.version === 0) requireFree(schema, taken);
  else requireFreeFor(migrations.slice(found.version), schema, taken);
  // What it may do without is known to the newer program.
  const made = found.version > migrations.length ? [] : migrations.slice(0, found.version);
  const missing = missingIn(taken, made, schema);
  if (missing.length === 0) return { ...found, missing };
  // Another instance may have made it after the names were read, and before the version was.
  return { ...found, missing: missingIn(await namesTaken(query, schema, made), made, schema) };
}

interface RecordedVersion extends SchemaVersion {
  /** Whether the history is not ours, which begins with our first migration. */
  readonly isForeign: boolean;
  /** Whether the user sees none of it, but others may. */
  readonly isHidden: boolean;
}

async function recordedVersion(query: Query): Promise<RecordedVersion> {
  // As JSON, a column that may not be there can be named.
  const [row] = await query<RecordedVersion>(
    `SELECT coalesce(max(version), 0) AS version,
            coalesce(max(coalesce((to_jsonb(migrations)->>'oldest_program')::integer, version)), 0) AS "oldestProgram",
            count(*) > 0 AND NOT coalesce(bool_or(version = 1 AND name = $1), false) AS "isForeign",
            count(*) = 0 AND row_security_active('store.migrations') AS "isHidden"
     FROM store.migrations`,
    [migrations[0]?.name ?? ""],
  );
  return row ?? noSchema;
}

const noSchema: RecordedVersion = { version: 0, oldestProgram: 0, isForeign: false, isHidden: false };
const historyHidden = "row-level security hides the rows of the table migrations from the user";

/**
 * Of the schema, whose name takes the place of `store`. Version 1.0.0 locks all schemas at once, by "pets" in ASCII: new programs
 * share that lock, so that it keeps out only those.
 */
const tryLock = `SELECT pg_try_advisory_xact_lock_shared(${0x70657473})
  AND pg_try_advisory_xact_lock(hashtext('animal-store migrations'), hashtext('store.migrations')) AS "isOurs"`;
const lockAgainMs = 100;
/** So long may writes wait behind a change of their table that has not begun. */
const longestLockWaitMs = 200;
