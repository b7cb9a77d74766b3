import type { Database } from "bun:sqlite";
import type { SchemaVersion } from "../../schema-version.ts";
import { foldNames, indexNames } from "../by-name.ts";
import animalsAndKeys from "./migrations/001-animals-and-keys.sql" with { type: "text" };
import storeArea from "./migrations/002-store-area.sql" with { type: "text" };
import keyLines from "./migrations/003-key-lines.sql" with { type: "text" };
import events from "./migrations/004-events.sql" with { type: "text" };
import webhooks from "./migrations/005-webhooks.sql" with { type: "text" };
import animalsByName from "./migrations/006-animals-by-name.sql" with { type: "text" };
import categoriesByName from "./migrations/007-categories-by-name.sql" with { type: "text" };

/** "pets" in ASCII. */
export const applicationId = 0x70657473;

/** Migrations by version, from 1. Released migrations never change; new ones are appended. */
const migrations: readonly Migration[] = [
  { name: "animals and keys", oldestProgram: 1, sql: animalsAndKeys },
  { name: "orders, categories, inventory and repeated requests", oldestProgram: 1, sql: storeArea },
  // From the seals of earlier programs, an attacker could guess a weak configured key.
  { name: "lines of keys", oldestProgram: 3, sql: keyLines },
  // Earlier programs would not log their changes.
  { name: "events", oldestProgram: 4, sql: events },
  { name: "webhooks", oldestProgram: 4, sql: webhooks },
  // Earlier programs would neither fold names nor find the index that is replaced.
  { name: "animals by name", oldestProgram: 6, sql: animalsByName, change: (database) => indexNames(database, "pets") },
  // Earlier programs would not fold names.
  {
    name: "categories by name",
    oldestProgram: 7,
    sql: categoriesByName,
    change: (database) => indexNames(database, "categories"),
  },
  {
    name: "names folded as Unicode says",
    // Earlier programs fold names differently.
    oldestProgram: 8,
    change(database) {
      foldNames(database, "pets");
      foldNames(database, "categories");
    },
  },
];

interface Migration {
  readonly name: string;
  readonly oldestProgram: number;
  readonly sql?: string;
  readonly change?: (database: Database) => void;
}

export const newestVersion = migrations.length;

export function readSchemaVersion(database: Database): SchemaVersion {
  const columns = readMigrationColumns(database);
  if (columns.length === 0) return { version: 0, oldestProgram: 0 };
  // Early migrations have no `oldest_program`; the value is then their own version.
  const oldest = columns.includes("oldest_program") ? "coalesce(oldest_program, version)" : "version";
  const row = database
    .query<SchemaVersion, []>(
      `SELECT coalesce(max(version), 0) AS version, coalesce(max(${oldest}), 0) AS oldestProgram FROM migrations`,
    )
    .get();
  return row ?? { version: 0, oldestProgram: 0 };
}

export function listPendingMigrations(version: number): string[] {
  return migrations.slice(version).map(({ name }) => name);
}

export function migrate(database: Database): void {
  database
    .transaction(() => {
      const { version: current } = readSchemaVersion(database);
      if (current === 0) {
        database.run(`PRAGMA application_id = ${applicationId}`);
        database.run(
          "CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL) STRICT",
        );
      }
      if (!readMigrationColumns(database).includes("oldest_program")) {
        database.run("ALTER TABLE migrations ADD COLUMN oldest_program INTEGER");
      }
      const insertStatement = "INSERT INTO migrations (version, name, applied_at, oldest_program) VALUES (?, ?, ?, ?)";
      for (const [index, { name, oldestProgram, sql, change }] of migrations.slice(current).entries()) {
        database.run(insertStatement, [current + index + 1, name, Date.now(), oldestProgram]);
        if (sql !== undefined) database.run(sql);
        change?.(database);
      }
    })
    .immediate();
}

function readMigrationColumns(database: Database): string[] {
  const rows = database.query<{ name: string }, []>("SELECT name FROM pragma_table_info('migrations')").all();
  return rows.map(({ name }) => name);
}
