import { type Query, toArray } from "../query.ts";
import type { Migration } from "./migrations.ts";

export interface SchemaPart {
  /** The kind and the name, such as `column pets.id`. */
  readonly title: string;
  /** The statement that restores the part; undefined for a part whose loss is a loss of data. */
  readonly repair: string | undefined;
}

/** Parses the statements of migrations, which follow one pattern. A test compares the result with the server's catalogue. */
export function parseSchemaParts(migrations: readonly Migration[], schemaName: string): SchemaPart[] {
  const schema = `"${schemaName}"`;
  const parts = new Map<string, SchemaPart>();
  for (const step of migrations.flatMap(({ steps }) => steps)) {
    const index = "index" in step ? [`CREATE INDEX ${step.index} ON ${step.on}`] : [];
    for (const statement of "sql" in step ? splitStatements(step.sql) : index) {
      parts.delete(`index ${dropIndexPattern.exec(statement)?.[1]}`);
      for (const part of parseStatement(statement, schema)) parts.set(part.title, part);
    }
  }
  return [...parts.values()];
}

/** Returns the missing parts, without the columns of a missing table. */
export function findMissingParts(parts: readonly SchemaPart[], existing: ReadonlySet<string>): SchemaPart[] {
  const missing = parts.filter(({ title }) => !existing.has(title));
  const tables = missing.filter(({ title }) => title.startsWith("table ")).map(nameOf);
  return missing.filter((part) => !part.title.includes(".") || !tables.includes(nameOf(part)));
}

/** Returns the title of a table that exists without some of its columns, and so belongs to another application. */
export function findForeignTable(parts: readonly SchemaPart[], existing: ReadonlySet<string>): string | undefined {
  const columns = findMissingParts(parts, existing).filter(({ title }) => title.includes("."));
  const tables = columns.map((column) => `table ${nameOf(column)}`);
  return tables.find((table) => parts.some(({ title }) => title === table));
}

/** Returns true if requests fail without the part. Without any other part, requests are slow, or the inventory is wrong. */
export function isVital({ repair }: SchemaPart): boolean {
  return repair === undefined;
}

/**
 * Returns the titles of all objects in the schema with the name of a part, and of their columns and triggers; also `history` if the table
 * `migrations` has this store's columns. A single statement reads all titles, so a concurrent migration is seen as a whole or not at all.
 */
export async function readTitles(query: Query, parts: readonly SchemaPart[]): Promise<ReadonlySet<string>> {
  const rows = await query<{ title: string }>(
    `WITH found AS (
       SELECT oid, relname, relkind FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relname = ANY ($2::text[])
     ), columns AS (SELECT * FROM found JOIN pg_attribute ON attrelid = found.oid AND attnum > 0 AND NOT attisdropped)
     SELECT CASE relkind WHEN 'r' THEN 'table ' WHEN 'i' THEN 'index ' WHEN 'v' THEN 'view ' WHEN 'S' THEN 'sequence '
              ELSE 'relation ' END || relname AS title FROM found
     UNION ALL SELECT 'type ' || typname FROM pg_type
     WHERE typnamespace = to_regnamespace($1) AND typrelid = 0 AND typname = ANY ($2::text[])
     UNION ALL SELECT 'function ' || proname FROM pg_proc
     WHERE pronamespace = to_regnamespace($1) AND proname = ANY ($2::text[])
     UNION ALL SELECT 'column ' || relname || '.' || attname FROM columns
     UNION ALL SELECT 'identity ' || relname || '.' || attname FROM columns WHERE attidentity <> ''
     UNION ALL SELECT 'trigger ' || tgname FROM found JOIN pg_trigger ON tgrelid = found.oid WHERE NOT tgisinternal
     UNION ALL SELECT 'history' FROM columns WHERE relname = 'migrations' AND (attname, format_type(atttypid, NULL)) IN
       (('version', 'integer'), ('name', 'text'), ('applied_at', 'timestamp with time zone')) HAVING count(*) = 3
     ORDER BY title`,
    [query.schema, toArray("TEXT", ["migrations", ...new Set(parts.map(nameOf))])],
  );
  return new Set(rows.map(({ title }) => title));
}

/** For a column, returns the name of its table. */
function nameOf({ title }: SchemaPart): string {
  return title.split(/[ .]/)[1] ?? "";
}

const dropIndexPattern = /^DROP INDEX IF EXISTS (\w+)$/;
const addColumnPattern = /^ALTER TABLE (\w+) ADD COLUMN IF NOT EXISTS (\w+)/;
const createPattern =
  /^CREATE (?:OR REPLACE |UNLOGGED |UNIQUE )?(TABLE|INDEX|TRIGGER|FUNCTION) (?:IF NOT EXISTS )?(\w+)(.*)$/s;

/** Splits SQL at semicolons, except at those of a function body between `$$`. */
function splitStatements(sql: string): string[] {
  const statements = sql.replaceAll(/--.*$/gm, "").match(/(?:\$\$.*?\$\$|[^;$])+/gs) ?? [];
  return statements.map((statement) => statement.trim());
}

function parseStatement(statement: string, schema: string): SchemaPart[] {
  const [, changed, column] = addColumnPattern.exec(statement) ?? [];
  if (changed !== undefined) return [{ title: `column ${changed}.${column}`, repair: undefined }];
  const [, kind, name = "", rest = ""] = createPattern.exec(statement) ?? [];
  if (kind === undefined) return [];
  if (kind === "TABLE") {
    const lines = rest.split("\n").flatMap((line) => parseTableLine(name, line, schema));
    return [{ title: `table ${name}`, repair: undefined }, ...lines];
  }
  // Qualifies the names: migrations rely on the search path, but the operator runs the repair without it.
  const repair = statement
    .replace(/(?<=^CREATE OR REPLACE FUNCTION | ON | EXECUTE FUNCTION )(?=\w)/g, `${schema}.`)
    .replace(/INDEX (IF NOT EXISTS )?/, "INDEX CONCURRENTLY ")
    .replace("search_path FROM CURRENT", `search_path TO ${schema}`)
    .replaceAll(/\s+/g, " ");
  return [{ title: `${kind.toLowerCase()} ${name}`, repair: `${repair};` }];
}

/** Parses one line of a CREATE TABLE statement, which defines at most one column: its type is in lower case, SQL keywords in upper case. */
function parseTableLine(table: string, line: string, schema: string): SchemaPart[] {
  const parts: SchemaPart[] = [];
  const [, column = ""] = /^\s+(\w+) [a-z]/.exec(line) ?? [];
  if (column !== "") parts.push({ title: `column ${table}.${column}`, repair: undefined });
  if (line.includes("AS IDENTITY")) parts.push({ title: `identity ${table}.${column}`, repair: undefined });
  const [, kind, columns = column] = /\b(PRIMARY KEY|UNIQUE)(?: \((.*?)\))?/.exec(line) ?? [];
  if (kind === undefined) return parts;
  // The server gives the index this name.
  const name = kind === "UNIQUE" ? `${table}_${columns.replaceAll(", ", "_")}_key` : `${table}_pkey`;
  const repair = `ALTER TABLE ${schema}.${table} ADD CONSTRAINT ${name} ${kind} (${columns});`;
  return [...parts, { title: `index ${name}`, repair }];
}
