import { Database } from "bun:sqlite";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { applicationId } from "../../src/store/sqlite/schema/migrate.ts";
import { fillDatabase } from "./animals.ts";
import { projectFolder } from "./program.ts";
import { temporaryFolder } from "./temporary.ts";

/** Creates the SQLite file of a stopped store with `count` animals. Returns the path. */
export async function makeSqliteStore(path: string, count = 0): Promise<string> {
  emptyStore ??= readEmptyStore();
  writeFileSync(path, await emptyStore, { mode: 0o600 });
  if (count > 0) fillDatabase(path, count);
  return path;
}

/** The file of an empty store, which is created once, because a copy is much faster. */
let emptyStore: Promise<Buffer> | undefined;

async function readEmptyStore(): Promise<Buffer> {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  await (await openStore({ kind: "sqlite", path }, { poolSize: 1, onDeath: () => {} })).close();
  return readFileSync(path);
}

export function makeOldSqliteStore(path: string): void {
  using database = new Database(path);
  database.run(`PRAGMA application_id = ${applicationId}`);
  database.run(
    "CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)",
  );
  database.run("INSERT INTO migrations VALUES (1, 'animals and keys', 0)");
  database.run(
    readFileSync(join(projectFolder, "src/store/sqlite/schema/migrations/001-animals-and-keys.sql"), "utf8"),
  );
  database.run("PRAGMA journal_mode = WAL");
}
