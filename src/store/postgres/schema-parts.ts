import type { Migration } from "./migrate.ts";

/** Something that migrations make and somebody can drop. */
export interface SchemaPart {
  readonly type: "table" | "index" | "trigger" | "function";
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

/** None is made again under the same name. */
const dropOfIndex = /^DROP INDEX IF EXISTS (\w+)$/;

/** A body between dollars has semicolons of its own. */
function statementsIn(sql: string): string[] {
  return sql.replaceAll(/--.*$/gm, "").match(/(?:\$\$.*?\$\$|[^;$])+/gs) ?? [];
}

function partsOf(statement: string, schema: string): SchemaPart[] {
  const [, type = "", name = "", rest = ""] = creation.exec(statement.trim()) ?? [];
  if (type.endsWith("TABLE")) return [{ type: "table", name, remake: undefined }, ...constraintsIn(name, rest, schema)];
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

const creation =
  /^CREATE (?:OR REPLACE )?((?:UNLOGGED )?TABLE|(?:UNIQUE )?INDEX|TRIGGER|FUNCTION) (?:IF NOT EXISTS )?(\w+) ?(.*)$/s;

function indexPart(type: string, name: string, on: string): SchemaPart {
  return { type: "index", name, remake: `CREATE ${type} CONCURRENTLY ${name} ON ${on};` };
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
