import { Database } from "bun:sqlite";
import { type SqliteFailure, toFailure } from "../errors.ts";

/** What is to be copied, and the empty file that it is copied to. */
export interface ToBackupWorker {
  readonly source: string;
  readonly target: string;
}

/** How large the copy will be at most, once that is known; then how many rows each table has, or what SQLite said. */
export type FromBackupWorker =
  | { readonly totalBytes: number }
  | { readonly counts: Counts }
  | { readonly failure: SqliteFailure };

export type Counts = Readonly<Record<string, number>>;

declare const self: Worker;

self.onmessage = ({ data: { source, target } }: MessageEvent<ToBackupWorker>) => {
  try {
    const copied = copySnapshot(source, target);
    verify(target, copied);
    reply({ counts: copied.counts });
  } catch (error) {
    reply({ failure: toFailure(error) });
  }
};

interface Snapshot {
  readonly schema: readonly SchemaRow[];
  readonly counts: Counts;
}

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

/**
 * Copies table by table, all in one transaction that reads and that no writer waits for. `VACUUM INTO` would do the same in
 * a transaction of its own, in which nothing else could be asked: what it has copied could not be counted in the original.
 */
function copySnapshot(source: string, target: string): Snapshot {
  using database = new Database(source, { readwrite: true, strict: true });
  database.run("PRAGMA busy_timeout = 5000");
  database.run("ATTACH ? AS copy", [target]);
  // The copy gets its name only when it is whole and flushed; until then, nothing of it need survive.
  database.run("PRAGMA copy.journal_mode = MEMORY");
  database.run("PRAGMA copy.synchronous = OFF");
  database.run("BEGIN");
  const schema = schemaOf(database);
  reply({ totalBytes: bytesOf(database) });
  using made = new Database(target, { readwrite: true, strict: true });
  prepareCopy(made, database);
  for (const { type, sql } of schema) if (type !== "trigger") made.run(sql);
  const tables = namesOfTables(schema);
  for (const name of tables) database.run(`INSERT INTO copy.${quoted(name)} SELECT * FROM main.${quoted(name)}`);
  database.run("DELETE FROM copy.sqlite_sequence");
  database.run("INSERT INTO copy.sqlite_sequence SELECT * FROM main.sqlite_sequence");
  const counts = countsOf(database, tables);
  database.run("COMMIT");
  // They would have counted the rows that were copied once more.
  for (const { type, sql } of schema) if (type === "trigger") made.run(sql);
  return { schema, counts };
}

/** In the order in which it was made, but for what SQLite makes by itself. */
function schemaOf(database: Database): SchemaRow[] {
  return database
    .query<SchemaRow, []>(
      `SELECT type, name, sql FROM main.sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
       ORDER BY rowid`,
    )
    .all();
}

function namesOfTables(schema: readonly SchemaRow[]): string[] {
  return schema.filter(({ type }) => type === "table").map(({ name }) => name);
}

/** Whoever has added a table may have given it any name. */
function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function bytesOf(database: Database): number {
  const pages = pragmaOf(database, "page_count") - pragmaOf(database, "freelist_count");
  return pages * pragmaOf(database, "page_size");
}

/** What a file says of itself outside of its tables. */
function prepareCopy(made: Database, original: Database): void {
  made.run("PRAGMA journal_mode = MEMORY");
  made.run("PRAGMA synchronous = OFF");
  for (const name of ["page_size", "application_id", "user_version"]) {
    made.run(`PRAGMA ${name} = ${pragmaOf(original, name)}`);
  }
}

function pragmaOf(database: Database, name: string): number {
  return Object.values(database.query<Record<string, number>, []>(`PRAGMA main.${name}`).get() ?? {})[0] ?? 0;
}

function countsOf(database: Database, tables: readonly string[]): Counts {
  return Object.fromEntries(
    tables.map((name) => {
      const row = database.query<{ count: number }, []>(`SELECT count(*) AS count FROM main.${quoted(name)}`).get();
      return [name, row?.count ?? 0];
    }),
  );
}

/** Reads the copy through, in a connection that knows nothing of how it was made. */
function verify(target: string, { schema, counts }: Snapshot): void {
  using copy = new Database(target, { readonly: true, strict: true });
  const row = copy.query<{ integrity_check: string }, []>("PRAGMA integrity_check(1)").get();
  if (row?.integrity_check !== "ok") throw new Error(`the copy is damaged: ${row?.integrity_check}`);
  const namesAndTexts = (rows: readonly SchemaRow[]) => JSON.stringify(rows.map(({ name, sql }) => [name, sql]).sort());
  if (namesAndTexts(schemaOf(copy)) !== namesAndTexts(schema)) throw new Error("the copy has another schema");
  const copied = countsOf(copy, namesOfTables(schema));
  for (const [name, count] of Object.entries(counts)) {
    if (copied[name] !== count) throw new Error(`the copy has ${copied[name]} rows in ${name}, not ${count}`);
  }
}

function reply(message: FromBackupWorker): void {
  self.postMessage(message);
}
