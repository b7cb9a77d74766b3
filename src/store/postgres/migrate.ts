import { StoreOpenError } from "../store.ts";
import type { Connection } from "./connection.ts";
import animalsAndKeys from "./migrations/001-animals-and-keys.sql" with { type: "text" };
import storeArea from "./migrations/002-store-area.sql" with { type: "text" };
import keyLines from "./migrations/003-key-lines.sql" with { type: "text" };

/** Never changed once released: what is to be different is a new migration at the end. */
const migrations = [
  { version: 1, name: "animals and keys", sql: animalsAndKeys },
  { version: 2, name: "orders, categories, inventory and repeated requests", sql: storeArea },
  { version: 3, name: "lines of keys", sql: keyLines },
] as const;

/** What `migrate` would do, by name. */
export async function pendingMigrations(connection: Connection): Promise<string[]> {
  const known = await schemaVersion(connection);
  refuseNewer(known);
  return migrations.slice(known).map(({ name }) => name);
}

/** Throws StoreOpenError. */
export async function requireStore(connection: Connection, schema: string): Promise<void> {
  if ((await schemaVersion(connection)) > 0) return;
  throw new StoreOpenError(
    `The PostgreSQL database has no store in its schema ${schema}. Name the database with --database; only serve and migrate make a new one.`,
  );
}

/**
 * Brings the schema up to date. Of many instances that start at once, one does it and the others wait for that. Where
 * nothing is to be done, this needs no right to do it.
 */
export async function migrate(connection: Connection, schema: string): Promise<void> {
  if ((await pendingMigrations(connection)).length === 0) return;
  const version = await connection.transaction(async (query) => {
    await query("SELECT pg_advisory_xact_lock($1)", [lockName]);
    await query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    // Migrations are written without it, and functions keep it as it was when they were made.
    await query(`SET LOCAL search_path TO "${schema}"`);
    await query(
      "CREATE TABLE IF NOT EXISTS migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
    );
    const [row] = await query<{ version: number }>("SELECT coalesce(max(version), 0) AS version FROM migrations");
    const current = row?.version ?? 0;
    for (const { version, name, sql } of migrations.slice(current)) {
      await query("INSERT INTO migrations (version, name) VALUES ($1, $2)", [version, name]);
      await query(sql);
    }
    return current;
  });
  refuseNewer(version);
}

/** 0 where there is no store. */
async function schemaVersion(connection: Connection): Promise<number> {
  const [table] = await connection.query<{ name: string | null }>(
    "SELECT to_regclass('store.migrations')::text AS name",
  );
  const rows = table?.name ? await connection.query<{ version: number }>("SELECT version FROM store.migrations") : [];
  return Math.max(0, ...rows.map(({ version }) => version));
}

function refuseNewer(version: number): void {
  if (version <= migrations.length) return;
  throw new StoreOpenError(
    `The database was written by a newer version of the animal store (its schema is ${version}, this program's is ${migrations.length}). Use that version.`,
  );
}

/** The same for every instance: "pets" in ASCII. */
const lockName = 0x70657473;
