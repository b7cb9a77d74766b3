import { expect, test } from "bun:test";
import { SQL } from "bun";
import { checkStore, openStore } from "../../src/store/open-store.ts";
import { migrations } from "../../src/store/postgres/schema/migrations.ts";
import { isVital, parseSchemaParts } from "../../src/store/postgres/schema/schema-parts.ts";
import { makeDatabase, sharedPostgres, type TestDatabase } from "../support/database.ts";

const schemaOf = ({ address }: TestDatabase) => (address as { schema: string }).schema;

async function makeStore(): Promise<TestDatabase> {
  const database = await makeDatabase("postgres");
  await (await openStore(database.address, { poolSize: 2, onDeath: () => {} })).close();
  return database;
}

async function readParts(database: TestDatabase): Promise<string[]> {
  await using sql = new SQL({ url: (await sharedPostgres()).url, max: 1 });
  const oid = `(SELECT oid FROM pg_namespace WHERE nspname = '${schemaOf(database)}')`;
  const rows = await sql.unsafe<{ part: string }[]>(`
    SELECT CASE relkind WHEN 'r' THEN 'table ' ELSE 'index ' END || relname AS part FROM pg_class
      WHERE relnamespace = ${oid} AND relkind IN ('r', 'i') AND relname NOT LIKE 'migrations%'
    UNION ALL SELECT kind || ' ' || relname || '.' || attname FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      JOIN unnest('{column,identity}'::text[]) AS kinds (kind) ON kind = 'column' OR attidentity <> ''
      WHERE relnamespace = ${oid} AND relkind = 'r' AND attnum > 0 AND relname <> 'migrations'
    UNION ALL SELECT 'trigger ' || tgname FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
      WHERE relnamespace = ${oid} AND NOT tgisinternal
    UNION ALL SELECT 'function ' || proname FROM pg_proc WHERE pronamespace = ${oid}`);
  return rows.map(({ part }) => part).sort();
}

async function readDefinitions(database: TestDatabase): Promise<string[]> {
  await using sql = new SQL({ url: (await sharedPostgres()).url, max: 1 });
  const oid = `(SELECT oid FROM pg_namespace WHERE nspname = '${schemaOf(database)}')`;
  const rows = await sql.unsafe<{ line: string }[]>(`
    SELECT pg_get_indexdef(indexrelid) || indisprimary AS line FROM pg_index JOIN pg_class ON pg_class.oid = indexrelid
      WHERE relnamespace = ${oid}
    UNION ALL SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
      WHERE relnamespace = ${oid} AND NOT tgisinternal
    UNION ALL SELECT regexp_replace(pg_get_functiondef(oid), '\\s+', ' ', 'g') FROM pg_proc WHERE pronamespace = ${oid}`);
  return rows.map(({ line }) => line).sort();
}

test("the parser finds the same parts in the migrations as the server's catalogue contains", async () => {
  await using database = await makeStore();
  const parts = parseSchemaParts(migrations, schemaOf(database)).map(({ title }) => title);
  expect(parts.sort()).toEqual(await readParts(database));
});

test("the SQL that the check command prints restores every dropped index, trigger and function", async () => {
  await using database = await makeStore();
  const schema = schemaOf(database);
  const before = await readDefinitions(database);
  const parts = parseSchemaParts(migrations, schema).filter((part) => !isVital(part));
  for (const { title, repair } of parts) {
    const [type, name] = title.split(" ");
    const isConstraint = repair?.startsWith("ALTER TABLE") === true;
    const table = /(?:^ALTER TABLE| ON) (\S+)/.exec(repair ?? "")?.[1];
    if (isConstraint) await database.run(`ALTER TABLE ${table} DROP CONSTRAINT ${name}`);
    else await database.run(`DROP ${type} ${name} ${type === "trigger" ? `ON ${table}` : "CASCADE"}`);
    const problem = (await checkStore(database.address, { shouldReplay: false }))[0]?.problem ?? "";
    const [, names = "", statements = ""] =
      /^Missing: (.*?)\. Run as the owner of the schema: (.*)$/.exec(problem) ?? [];
    expect(names.split("; ")).toContain(title);
    // CREATE INDEX CONCURRENTLY must be sent in a request of its own.
    const each = type === "function" ? statements.split(/(?=CREATE OR REPLACE TRIGGER)/) : [statements];
    for (const statement of each) await database.run(statement);
  }
  expect(parts.length).toBeGreaterThan(20);
  expect(await readDefinitions(database)).toEqual(before);
});
