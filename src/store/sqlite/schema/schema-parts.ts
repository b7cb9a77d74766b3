import { Database } from "bun:sqlite";
import { incompleteStore, openUnchanged } from "../file/examine.ts";
import { migrate, newestVersion, readSchemaVersion } from "./migrate.ts";

export interface SchemaPart {
  readonly type: "table" | "column" | "index" | "trigger" | "view";
  /** A column has the name of its table, a dot and its own name. */
  readonly name: string;
  readonly sql: string;
}

/** Finds missing parts, and foreign triggers, which may change data at every write; foreign tables and indexes do no harm. */
export function compareParts(database: Database): { readonly missing: SchemaPart[]; readonly foreign: SchemaPart[] } {
  using reference = new Database(":memory:", { strict: true });
  migrate(reference);
  const [expected, existing] = [readParts(reference), readParts(database)];
  const titles = new Set(existing.map(titleOf));
  const texts = new Set(expected.map(textOf));
  const isNewer = readSchemaVersion(database).version > newestVersion;
  const isTableMissing = ({ name }: SchemaPart) => !titles.has(`table ${name.split(".")[0]}`);
  return {
    missing: expected.filter((part) => !titles.has(titleOf(part)) && !(part.type === "column" && isTableMissing(part))),
    foreign: isNewer ? [] : existing.filter((part) => part.type === "trigger" && !texts.has(textOf(part))),
  };
}

/** Throws StoreOpenError if the file has the newest version of the schema, but a table or column is missing. */
export function requireComplete(path: string): void {
  using database = openUnchanged(path);
  if (readSchemaVersion(database).version !== newestVersion) return;
  const missing = compareParts(database).missing.filter(isVital);
  if (missing.length > 0) throw incompleteStore(path, `missing: ${missing.map(titleOf).join("; ")}`);
}

/** True if the file is unusable without the part. */
export function isVital({ type }: SchemaPart): boolean {
  return type === "table" || type === "column";
}

export function titleOf({ type, name }: SchemaPart): string {
  return `${type} ${name}`;
}

export function textOf({ sql }: SchemaPart): string {
  return sql.replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ");
}

function readParts(database: Database): SchemaPart[] {
  return database
    .query<SchemaPart, []>(
      `SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL
       UNION ALL SELECT 'column', own.name || '.' || columns.name, ''
       FROM sqlite_schema AS own, pragma_table_info(own.name) AS columns WHERE own.type = 'table'`,
    )
    .all();
}
