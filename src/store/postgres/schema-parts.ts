import type { Migration } from "./migration.ts";

/** Something that migrations make and somebody can drop. */
export interface SchemaPart {
  readonly type: "table" | "column" | "index" | "trigger" | "function";
  /** Of a column, with its table and a dot in front. */
  readonly name: string;
  /** The statement that makes it again, if nothing was lost with it. */
  readonly remake: string | undefined;
}

/** What a schema of that name consists of after these migrations, as their own statements say. */
export function schemaParts(migrations: readonly Migration[], schemaName: string): SchemaPart[] {
  const schema = `"${schemaName}"`;
  const steps = migrations.flatMap((migration) => migration.steps);
  const statements = steps.flatMap((step) => ("sql" in step ? statementsIn(step.sql) : []));
  const dropped = new Set(statements.map((statement) => dropOfIndex.exec(statement.trim())?.[1]));
  return steps
    .flatMap((step) => {
      if ("index" in step) return [indexPart("INDEX", step.index, step.on.replace("store.", `${schema}.`))];
      return "sql" in step ? statementsIn(step.sql).flatMap((statement) => partsOf(statement, schema)) : [];
    })
    .filter(({ type, name }) => type !== "index" || !dropped.has(name));
}

/** Those that are not there, without the columns of tables that are not. */
export function missingParts(
  parts: readonly SchemaPart[],
  there: readonly { readonly type: string; readonly name: string }[],
): SchemaPart[] {
  const titles = new Set(there.map(titleOf));
  const missing = parts.filter((part) => !titles.has(titleOf(part)));
  const tables = new Set(missing.filter(({ type }) => type === "table").map(({ name }) => name));
  return missing.filter(({ type, name }) => type !== "column" || !tables.has(name.replace(/\..*/, "")));
}

export function titleOf({ type, name }: { readonly type: string; readonly name: string }): string {
  return `${type} ${name}`;
}

/** None is made again under the same name. */
const dropOfIndex = /^DROP INDEX IF EXISTS (\w+)$/;

/** A body between dollars has semicolons of its own. */
function statementsIn(sql: string): string[] {
  return sql.replaceAll(/--.*$/gm, "").match(/(?:\$\$.*?\$\$|[^;$])+/gs) ?? [];
}

function partsOf(statement: string, schema: string): SchemaPart[] {
  const [, table, column] = additionOfColumn.exec(statement.trim()) ?? [];
  if (table !== undefined) return [columnPart(table, column)];
  const [, type = "", name = "", rest = ""] = creation.exec(statement.trim()) ?? [];
  if (type.endsWith("TABLE")) {
    return [{ type: "table", name, remake: undefined }, ...columnsIn(name, rest), ...constraintsIn(name, rest, schema)];
  }
  if (type.endsWith("INDEX")) return [indexPart(type, name, rest.replace(/^ON /, `${schema}.`))];
  if (type === "TRIGGER" || type === "FUNCTION") {
    // The search path of a migration is the schema.
    const remake = statement
      .trim()
      .replace(/(?<=^CREATE OR REPLACE FUNCTION | ON | EXECUTE FUNCTION )(?=\w)/g, `${schema}.`)
      .replace("search_path FROM CURRENT", `search_path TO ${schema}`)
      .replaceAll(/\s+/g, " ");
    return [{ type: type === "TRIGGER" ? "trigger" : "function", name, remake: `${remake};` }];
  }
  return [];
}

const additionOfColumn = /^ALTER TABLE (\w+) ADD COLUMN IF NOT EXISTS (\w+)/;

const creation =
  /^CREATE (?:OR REPLACE )?((?:UNLOGGED )?TABLE|(?:UNIQUE )?INDEX|TRIGGER|FUNCTION) (?:IF NOT EXISTS )?(\w+) ?(.*)$/s;

function indexPart(type: string, name: string, on: string): SchemaPart {
  return { type: "index", name, remake: `CREATE ${type} CONCURRENTLY ${name} ON ${on};` };
}

/** Each has a line of its own, and its type is in lower case, unlike what else there may be. */
function columnsIn(table: string, definition: string): SchemaPart[] {
  return [...definition.matchAll(/^\s+(\w+) [a-z]/gm)].map(([, column]) => columnPart(table, column));
}

function columnPart(table: string, column = ""): SchemaPart {
  return { type: "column", name: `${table}.${column}`, remake: undefined };
}

/** The indexes of a table's keys, with the names that the server gives them. */
function constraintsIn(table: string, definition: string, schema: string): SchemaPart[] {
  return definition.split("\n").flatMap((line): SchemaPart[] => {
    const kind = /\b(?:PRIMARY KEY|UNIQUE)\b/.exec(line)?.[0];
    if (kind === undefined) return [];
    const [, ofTable, ofColumn] = /^\s*(?:(?:PRIMARY KEY|UNIQUE) \((.*?)\)|(\w+))/.exec(line) ?? [];
    const columns = ofTable ?? ofColumn ?? "";
    const name = kind === "UNIQUE" ? `${table}_${columns.replaceAll(", ", "_")}_key` : `${table}_pkey`;
    const remake = `ALTER TABLE ${schema}.${table} ADD CONSTRAINT ${name} ${kind} (${columns});`;
    return [{ type: "index", name, remake }];
  });
}
