import { Database } from "bun:sqlite";
import { StoreOpenError } from "../../store.ts";
import { type Failure, toFailure } from "../errors.ts";
import { examineVersion, explainOpenError } from "../file/examine.ts";
import { checkSqlite } from "../schema/check.ts";
import { migrate, newestVersion } from "../schema/migrate.ts";

/** Asks the thread to copy a store to an empty file, or to turn the copy of a backup into a store. */
export type FileRequest = { readonly source: string; readonly target: string } | { readonly backupCopy: string };

/** The maximum size of the copy, as soon as it is known; then the number of animals, or the failure. */
export type FileReply = { readonly totalBytes: number } | { readonly animals: number } | Failure;

declare const self: Worker;

self.onmessage = async ({ data }: MessageEvent<FileRequest>) => {
  try {
    reply({ animals: "source" in data ? copy(data.source, data.target) : await convertToStore(data.backupCopy) });
  } catch (error) {
    reply({ failure: toFailure(error) });
  }
};

function copy(source: string, target: string): number {
  const counts = copySnapshot(source, target);
  verify(target, counts);
  return counts["pets"] ?? 0;
}

/** Number of rows by table. */
type Counts = Readonly<Record<string, number>>;

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/** Copies table by table in one read transaction, because the rows could not be counted in the snapshot that `VACUUM INTO` copies. */
function copySnapshot(source: string, target: string): Counts {
  using database = new Database(source, { readwrite: true, strict: true });
  database.run("PRAGMA busy_timeout = 5000");
  database.run("ATTACH ? AS copy", [target]);
  // The copy gets its name only when it is complete and flushed; until then, it need not survive a crash.
  database.run("PRAGMA copy.journal_mode = MEMORY");
  database.run("PRAGMA copy.synchronous = OFF");
  database.run("BEGIN");
  const schema = readSchema(database);
  const pages = readPragma(database, "page_count") - readPragma(database, "freelist_count");
  reply({ totalBytes: pages * readPragma(database, "page_size") });
  using targetDatabase = new Database(target, { readwrite: true, strict: true });
  targetDatabase.run("PRAGMA journal_mode = MEMORY");
  targetDatabase.run("PRAGMA synchronous = OFF");
  for (const name of ["page_size", "application_id", "user_version"]) {
    targetDatabase.run(`PRAGMA ${name} = ${readPragma(database, name)}`);
  }
  for (const { type, sql } of schema) if (type !== "trigger") targetDatabase.run(sql);
  const counts = countRows(database);
  for (const name of Object.keys(counts)) {
    database.run(`INSERT INTO copy.${quoteName(name)} SELECT * FROM main.${quoteName(name)}`);
  }
  database.run("DELETE FROM copy.sqlite_sequence");
  database.run("INSERT INTO copy.sqlite_sequence SELECT * FROM main.sqlite_sequence");
  database.run("COMMIT");
  // Triggers are created last: they would count the copied rows again.
  for (const { type, sql } of schema) if (type === "trigger") targetDatabase.run(sql);
  return counts;
}

/** Returns the schema in the order of its creation, without the objects that SQLite creates itself. */
function readSchema(database: Database): SchemaRow[] {
  return database
    .query<SchemaRow, []>(
      `SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY rowid`,
    )
    .all();
}

/** Quotes a name, because an operator may have added tables with any name. */
function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function readPragma(database: Database, name: string): number {
  return Object.values(database.query<Record<string, number>, []>(`PRAGMA main.${name}`).get() ?? {})[0] ?? 0;
}

function countRows(database: Database): Counts {
  const tables = readSchema(database).filter(({ type }) => type === "table");
  return Object.fromEntries(tables.map(({ name }) => [name, countTableRows(database, quoteName(name))]));
}

function countTableRows(database: Database, table: string): number {
  return database.query<{ count: number }, []>(`SELECT count(*) AS count FROM main.${table}`).get()?.count ?? 0;
}

/** Reads the copy completely, on a new connection, which has an empty cache. */
function verify(target: string, counts: Counts): void {
  using targetDatabase = new Database(target, { readonly: true, strict: true });
  const row = targetDatabase.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get();
  if (row?.integrity_check !== "ok") throw new Error(`the copy is damaged: ${row?.integrity_check}`);
  const copied = countRows(targetDatabase);
  for (const [name, count] of Object.entries(counts)) {
    if (copied[name] !== count) throw new Error(`the copy has ${copied[name]} rows in ${name}, not ${count}`);
  }
}

/** Migrates and then checks the copy of a backup. Throws StoreOpenError. */
async function convertToStore(path: string): Promise<number> {
  try {
    const { version } = examineVersion(path);
    {
      using database = new Database(path, { readwrite: true, strict: true });
      // Only this file, without a WAL, becomes the store, so the file must contain all data.
      database.run("PRAGMA journal_mode = DELETE");
      if (version < newestVersion) migrate(database);
    }
    const problems = (await checkSqlite(path, { shouldReplay: false })).flatMap(({ problem }) => problem ?? []);
    if (problems.length > 0) throw new StoreOpenError(`${path} is not as it should be: ${problems.join(" ")}`);
    using database = new Database(path, { readwrite: true, strict: true });
    database.run("PRAGMA journal_mode = WAL");
    return countTableRows(database, "pets");
  } catch (error) {
    throw explainOpenError(path, error);
  }
}

function reply(message: FileReply): void {
  self.postMessage(message);
}
