import { StoreOpenError } from "../../store.ts";
import { arrayOf, type Query } from "../query.ts";
import type { Migration } from "./migrations.ts";
import { isVital, missingParts, type SchemaPart, schemaParts } from "./schema-parts.ts";

/** An object in the schema whose name a migration uses, or a column, identity or trigger of such an object. */
export interface ExistingName {
  readonly type: SchemaPart["type"] | "view" | "foreign table" | "sequence" | "type";
  /** The names of columns and identities begin with their table and a dot. */
  readonly name: string;
  readonly detail: string | null;
}

/**
 * Reads the objects of a schema that have names of the store. Schemas are often shared, as `public` is by default, and names such as
 * `migrations`, `orders`, `events` and `keys` are common. Otherwise, `CREATE TABLE IF NOT EXISTS` would adopt another application's
 * table, and the migration would change its rows, as tests with twelve kinds of such schemas show.
 *
 * One statement reads all names, so the result shows a concurrent migration as a whole or not at all. The statement touches no table of
 * the schema, and takes 2 to 4 ms, even with 3,000 other tables (November 2026, 2 cores, server on the same machine).
 */
export async function readExistingNames(
  query: Query,
  schema: string,
  migrations: readonly Migration[],
): Promise<readonly ExistingName[]> {
  const parts = schemaParts(migrations, schema);
  const namesOf = (...types: SchemaPart["type"][]) =>
    arrayOf("TEXT", [historyTable, ...parts.filter(({ type }) => types.includes(type)).map(({ name }) => name)]);
  return await query(
    `WITH schema AS (SELECT oid FROM pg_namespace WHERE nspname = $1),
          found AS (SELECT oid, relname, relkind FROM pg_class WHERE relnamespace = (SELECT oid FROM schema) AND relname = ANY ($2::text[]))
     SELECT CASE WHEN relkind IN ('r', 'p') THEN 'table' WHEN relkind IN ('i', 'I') THEN 'index' WHEN relkind = 'S' THEN 'sequence'
                 WHEN relkind = 'c' THEN 'type' WHEN relkind = 'f' THEN 'foreign table' ELSE 'view' END AS type,
            relname::text AS name, NULL AS detail FROM found
     UNION ALL SELECT 'type', typname, NULL FROM pg_type
     WHERE typnamespace = (SELECT oid FROM schema) AND typrelid = 0 AND typname = ANY ($2::text[])
     UNION ALL SELECT 'function', proname, NULL FROM pg_proc
     WHERE pronamespace = (SELECT oid FROM schema) AND proname = ANY ($3::text[])
     UNION ALL SELECT kind, relname || '.' || attname, format_type(atttypid, NULL) FROM found
     JOIN pg_attribute ON attrelid = found.oid AND attnum > 0 AND NOT attisdropped
     JOIN unnest('{column,identity}'::text[]) AS kinds (kind) ON kind = 'column' OR attidentity <> ''
     UNION ALL SELECT 'trigger', tgname, NULL FROM found JOIN pg_trigger ON tgrelid = found.oid WHERE NOT tgisinternal
     ORDER BY type DESC, name`,
    [schema, namesOf("table", "index"), namesOf("function")],
  );
}

/** Returns true if there is a table of migrations with this store's columns. Its rows may still be another application's. */
export function hasHistory(existing: readonly ExistingName[]): boolean {
  const columns = { version: "integer", name: "text", applied_at: "timestamp with time zone" };
  return (
    existing.some(({ type, name }) => type === "table" && name === historyTable) &&
    Object.entries(columns).every(([column, kind]) =>
      existing.some(({ name, detail }) => name === `${historyTable}.${column}` && detail === kind),
    )
  );
}

/** Requires that no object of the schema has a name of the store, except the store's own table of migrations. Throws StoreOpenError. */
export function requireFreeNames(schema: string, existing: readonly ExistingName[]): void {
  const isAllowed = hasHistory(existing) ? historyTable : undefined;
  const first = existing.find((one) => isTopLevel(one) && one.name !== isAllowed);
  if (first) throw foreignSchemaError(schema, first);
}

export function foreignSchemaError(
  schema: string,
  { type, name }: Pick<ExistingName, "type" | "name">,
): StoreOpenError {
  return new StoreOpenError(
    `The schema ${schema} of the PostgreSQL database seems to belong to another application: animal-store did not create its ${type} ${name}. Choose another one with ?schema=NAME in the URL; if it is a partly restored store, restore all of it.`,
  );
}

/** Requires that pending migrations can create their tables, or that an interrupted migration did. Throws StoreOpenError. */
export function requireFreeNamesFor(
  pending: readonly Migration[],
  schema: string,
  existing: readonly ExistingName[],
): void {
  for (const migration of pending) {
    const tables = schemaParts([migration], schema).filter(({ type }) => type === "table");
    const incomplete = new Set(vitalPartsMissing(existing, [migration], schema).map(({ name }) => name.split(".")[0]));
    const first = existing.find(
      (one) => isTopLevel(one) && incomplete.has(one.name) && tables.some(({ name }) => name === one.name),
    );
    if (!first) continue;
    throw new StoreOpenError(
      `The pending migrations create a table ${first.name}, but another application already uses that name in the schema ${schema} of the PostgreSQL database. Rename its object, or move it to another schema.`,
    );
  }
}

export function vitalPartsMissing(
  existing: readonly ExistingName[],
  migrations: readonly Migration[],
  schema: string,
): readonly SchemaPart[] {
  return missingParts(schemaParts(migrations, schema), existing).filter(isVital);
}

function isTopLevel({ type }: ExistingName): boolean {
  return type !== "column" && type !== "identity" && type !== "trigger";
}

const historyTable = "migrations";
