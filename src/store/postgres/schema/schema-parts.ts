import type { Migration } from "./migration.ts";

/** Something that migrations make and somebody can drop. */
export interface SchemaPart {
  readonly type: "table" | "column" | "identity" | "index" | "trigger" | "function";
  /** Of a column, and of what gives it its values, with its table and a dot in front. */
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
  const parts = steps
    .flatMap((step): SchemaPart[] => {
      if ("index" in step) return [indexPart("INDEX", step.index, step.on.replace("store.", `${schema}.`))];
      return "sql" in step ? statementsIn(step.sql).flatMap((statement) => partsOf(statement, schema)) : [];
    })
    .filter(({ type, name }) => type !== "index" || !dropped.has(name));
  // A trigger that is made again replaces the earlier one.
  return [...new Map(parts.map((part) => [titleOf(part), part])).values()];
}

/** Those that are not there, without what is of columns or tables that are not. */
export function missingParts(
  parts: readonly SchemaPart[],
  there: readonly { readonly type: string; readonly name: string }[],
): SchemaPart[] {
  const titles = new Set(there.map(titleOf));
  const missing = parts.filter((part) => !titles.has(titleOf(part)));
  const namesOf = (wanted: SchemaPart["type"]) =>
    new Set(missing.filter(({ type }) => type === wanted).map(({ name }) => name));
  const [tables, columns] = [namesOf("table"), namesOf("column")];
  return missing.filter(({ type, name }) => {
    if (type === "identity" && columns.has(name)) return false;
    return !tables.has(name.replace(/\..*/, "")) || (type !== "column" && type !== "identity");
  });
}

/** Whether requests would fail without it, and not just be slow or counted wrong. */
export function isVital({ type }: Pick<SchemaPart, "type">): boolean {
  return type === "table" || type === "column" || type === "identity";
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
  if (table !== undefined) return [columnPart("column", table, column)];
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
  return [...definition.matchAll(/^\s+(\w+) [a-z].*$/gm)].flatMap(([line, column]) => [
    columnPart("column", table, column),
    ...(line.includes("AS IDENTITY") ? [columnPart("identity", table, column)] : []),
  ]);
}

function columnPart(type: "column" | "identity", table: string, column = ""): SchemaPart {
  return { type, name: `${table}.${column}`, remake: undefined };
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
