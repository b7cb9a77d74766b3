import { StoreOpenError } from "../store.ts";
import type { Connection, Query } from "./connection.ts";
import animalsAndKeys from "./migrations/001-animals-and-keys.sql" with { type: "text" };
import storeArea from "./migrations/002-store-area.sql" with { type: "text" };
import keyLines from "./migrations/003-key-lines.sql" with { type: "text" };
import sharedQuotas from "./migrations/004-shared-quotas.sql" with { type: "text" };

/** Never changed once released: what is to be different is a new migration at the end. */
const migrations = [
  { version: 1, name: "animals and keys", sql: animalsAndKeys },
  { version: 2, name: "orders, categories, inventory and repeated requests", sql: storeArea },
  { version: 3, name: "lines of keys", sql: keyLines },
  { version: 4, name: "quotas that instances share", sql: sharedQuotas },
] as const;

/** What `migrate` would do, by name. Throws StoreOpenError. */
export async function pendingMigrations({ query }: Connection, schema: string): Promise<string[]> {
  const known = await schemaVersion(query, schema);
  refuseNewer(known);
  return migrations.slice(known).map(({ name }) => name);
}

/** Throws StoreOpenError. */
export async function requireStore({ query }: Connection, schema: string): Promise<void> {
  if ((await schemaVersion(query, schema)) > 0) return;
  throw new StoreOpenError(
    `The PostgreSQL database has no store in its schema ${schema}. Name the database with --database; only serve and migrate make a new one.`,
  );
}

/** Brings the schema up to date. Of many instances that start at once, one does it and the others wait for that. */
export async function migrate(connection: Connection, schema: string): Promise<void> {
  const version = await connection.transaction(async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [lockName]);
    // Whoever may change the schema need not be allowed to make one.
    const found = await query("SELECT 1 FROM pg_namespace WHERE nspname = $1", [schema]);
    if (found.length === 0) await query(`CREATE SCHEMA "${schema}"`);
    // Migrations are written without it, and functions keep it as it was when they were made.
    await query(`SET LOCAL search_path TO "${schema}"`);
    await query(
      "CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
    );
    const current = await currentVersion(query);
    for (const { version, name, sql } of migrations.slice(current)) {
      await query("INSERT INTO migrations (version, name) VALUES ($1, $2)", [version, name]);
      await query(sql);
    }
    return current;
  });
  refuseNewer(version);
}

/** 0 where there is no store. */
async function schemaVersion(query: Query, schema: string): Promise<number> {
  const table = await query("SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = 'migrations'", [schema]);
  return table.length > 0 ? await currentVersion(query) : 0;
}

async function currentVersion(query: Query): Promise<number> {
  const [row] = await query<{ version: number }>("SELECT coalesce(max(version), 0) AS version FROM store.migrations");
  return row?.version ?? 0;
}

function refuseNewer(version: number): void {
  if (version <= migrations.length) return;
  throw new StoreOpenError(
    `The database was written by a newer version of the animal store (its schema is ${version}, this program's is ${migrations.length}). Use that version.`,
  );
}

/** The same for every instance: "pets" in ASCII. */
const lockName = 0x70657473;
