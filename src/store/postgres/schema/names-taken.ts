import { StoreOpenError } from "../../store.ts";
import { arrayOf, type Query } from "../query.ts";
import type { Migration } from "./migration.ts";
import { isVital, missingParts, type SchemaPart, schemaParts } from "./schema-parts.ts";

/** Something in the schema that has a name which migrations give. */
export interface NameTaken {
  readonly type: SchemaPart["type"] | "view" | "foreign table" | "sequence" | "type";
  readonly name: string;
  /** Each as its name and type and, if it gives its values itself, "identity". */
  readonly columns: readonly string[];
}

/** In one statement, so that what others commit at once is there as a whole or not at all. It touches no table of the schema. */
export async function namesTaken(
  query: Query,
  schema: string,
  migrations: readonly Migration[],
): Promise<readonly NameTaken[]> {
  const parts = schemaParts(migrations, schema);
  const namesOf = (...types: SchemaPart["type"][]) =>
    parts.filter(({ type }) => types.includes(type)).map(({ name }) => name);
  const rows = await query<Omit<NameTaken, "columns"> & { columns: string | null }>(
    `WITH schema AS (SELECT oid FROM pg_namespace WHERE nspname = $1)
     SELECT CASE WHEN relkind IN ('r', 'p') THEN 'table' WHEN relkind IN ('i', 'I') THEN 'index' WHEN relkind = 'S' THEN 'sequence'
                 WHEN relkind = 'c' THEN 'type' WHEN relkind = 'f' THEN 'foreign table' ELSE 'view' END AS type,
            relname::text AS name,
            (SELECT string_agg(attname || ' ' || format_type(atttypid, NULL) || CASE attidentity WHEN '' THEN '' ELSE ' identity' END, ',')
             FROM pg_attribute WHERE attrelid = pg_class.oid AND attnum > 0 AND NOT attisdropped) AS columns
     FROM pg_class WHERE relnamespace = (SELECT oid FROM schema) AND relname = ANY ($2::text[])
     UNION ALL SELECT 'type', typname::text, NULL FROM pg_type
     WHERE typnamespace = (SELECT oid FROM schema) AND typrelid = 0 AND typname = ANY ($2::text[])
     UNION ALL SELECT 'function', proname::text, NULL FROM pg_proc
     WHERE pronamespace = (SELECT oid FROM schema) AND proname = ANY ($3::text[])
     ORDER BY type DESC, name`,
    [schema, arrayOf([history, ...namesOf("table", "index")], "TEXT"), arrayOf(namesOf("function"), "TEXT")],
  );
  return rows.map(({ columns, ...taken }) => ({ ...taken, columns: columns?.split(",") ?? [] }));
}

/** Whether there is a table of migrations as we make it. What is in it may still be another's. */
export function haveHistory(taken: readonly NameTaken[]): boolean {
  const columns = taken.find(({ type, name }) => type === "table" && name === history)?.columns ?? [];
  return ["version integer", "name text", "applied_at timestamp with time zone"].every((one) => columns.includes(one));
}

/** A new schema is made as a whole, with its history: without that, nothing can be ours. Throws StoreOpenError. */
export function requireFree(schema: string, taken: readonly NameTaken[]): void {
  const [first] = haveHistory(taken) ? taken.filter(({ name }) => name !== history) : taken;
  if (first) throw foreign(schema, first);
}

export function foreign(schema: string, { type, name }: Pick<NameTaken, "type" | "name">): StoreOpenError {
  return new StoreOpenError(
    `The schema ${schema} of the PostgreSQL database seems to belong to another application: animal-store did not make its ${type} ${name}. Choose another one with ?schema=NAME in the URL; if it is a store of which only a part was restored, restore all of it.`,
  );
}

/** A run that was broken off may have made tables of the next migration, but none with other columns. Throws StoreOpenError. */
export function requireFreeFor(pending: readonly Migration[], schema: string, taken: readonly NameTaken[]): void {
  const unlikeOurs = pending.flatMap((migration) => {
    const tables = schemaParts([migration], schema).filter(({ type }) => type === "table");
    const lacking = new Set(missingIn(taken, [migration], schema).map(({ name }) => name.split(".")[0]));
    return tables.map(({ name }) => name).filter((name) => lacking.has(name));
  });
  const first = taken.find(({ name }) => unlikeOurs.includes(name));
  if (!first) return;
  throw new StoreOpenError(
    `The pending migrations make a table ${first.name}, but in the schema ${schema} of the PostgreSQL database another application has something of that name. Rename that, or move it to another schema.`,
  );
}

/** What of these migrations is not there, and the service could not do without. */
export function missingIn(
  taken: readonly NameTaken[],
  migrations: readonly Migration[],
  schema: string,
): readonly SchemaPart[] {
  const there = taken.flatMap(({ type, name, columns }) => [
    { type, name },
    ...columns.flatMap((column) => {
      const title = `${name}.${column.split(" ")[0]}`;
      return [
        { type: "column", name: title },
        ...(column.endsWith(" identity") ? [{ type: "identity", name: title }] : []),
      ];
    }),
  ]);
  return missingParts(schemaParts(migrations, schema), there).filter(isVital);
}

const history = "migrations";
