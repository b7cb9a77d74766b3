import type { Database } from "bun:sqlite";
import animalsAndKeys from "./migrations/001-animals-and-keys.sql" with { type: "text" };
import storeArea from "./migrations/002-store-area.sql" with { type: "text" };
import keyLines from "./migrations/003-key-lines.sql" with { type: "text" };

/** In the file's header, and so in what `file` prints of it: "pets" in ASCII. */
export const applicationId = 0x70657473;

/** Never changed once released: what is to be different is a new migration at the end. */
const migrations = [
  { version: 1, name: "animals and keys", sql: animalsAndKeys },
  { version: 2, name: "orders, categories, inventory and repeated requests", sql: storeArea },
  { version: 3, name: "lines of keys", sql: keyLines },
] as const;

export const newestVersion = migrations.length;

/** The version of the schema in a file that is ours; 0 for a new one. */
export function schemaVersion(database: Database): number {
  const known = database.query("SELECT 1 FROM sqlite_schema WHERE name = 'migrations'").get();
  if (!known) return 0;
  const row = database.query<{ version: number | null }, []>("SELECT max(version) AS version FROM migrations").get();
  return row?.version ?? 0;
}

/** What `migrate` would do, by name. */
export function pendingMigrations(version: number): string[] {
  return migrations.slice(version).map(({ name }) => name);
}

/** Brings the schema up to date in one transaction, so that a kill leaves the old or the new. */
export function migrate(database: Database): void {
  database
    .transaction(() => {
      const current = schemaVersion(database);
      if (current === 0) {
        database.run(`PRAGMA application_id = ${applicationId}`);
        database.run(
          "CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
        );
      }
      for (const { version, name, sql } of migrations.slice(current)) {
        database.run("INSERT INTO migrations VALUES (?, ?, ?)", [version, name, Date.now()]);
        database.run(sql);
      }
    })
    .immediate();
}
