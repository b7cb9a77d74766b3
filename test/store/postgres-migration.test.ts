import { expect, test } from "bun:test";
import { SQL } from "bun";
import type { PostgresAddress } from "../../src/base/database-address.ts";
import { checkStore, inspectStore, openExistingStore, openStore, planMigration } from "../../src/store/open-store.ts";
import { createQuery } from "../../src/store/postgres/query.ts";
import { findSchema } from "../../src/store/postgres/schema/migrate.ts";
import { migrations, type Step } from "../../src/store/postgres/schema/migrations.ts";
import { Connection } from "../../src/store/postgres/servers/connection.ts";
import { StoreOpenError } from "../../src/store/store.ts";
import { makeDatabase, sharedPostgres, type TestDatabase } from "../support/database.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";

const it = testWith(() => makeDatabase("postgres"));

const open = ({ address }: TestDatabase) => openStore(address, { poolSize: 2, onDeath: () => {} });

const steps = migrations.flatMap(({ version, name, steps }) =>
  steps.map((step, index) => ({ version, name, step, isLast: index === steps.length - 1 })),
);

/** Creates the schema after the given number of steps, with a history like that of version 1.0.0, which has no `oldest_program`. */
async function createPartialSchema(database: TestDatabase, count: number): Promise<void> {
  await database.run(`CREATE SCHEMA ${schemaOf(database)}`);
  await database.run(createHistory);
  for (const { version, name, step, isLast } of steps.slice(0, count)) {
    await runStep(database, step);
    if (isLast) await database.run(`INSERT INTO migrations (version, name) VALUES (${version}, '${name}')`);
  }
}

async function runStep(database: TestDatabase, step: Step): Promise<void> {
  if ("sql" in step) await database.run(step.sql);
  if ("index" in step) await database.run(`CREATE INDEX ${step.index} ON ${step.on}`);
}

const stepCountUpTo = (version: number) => steps.filter((step) => step.version <= version).length;

const schemaOf = ({ address }: TestDatabase) => (address as { schema: string }).schema;

async function connect(database: TestDatabase): Promise<SQL> {
  const { url } = await sharedPostgres();
  return new SQL({ url, max: 1, connection: { search_path: schemaOf(database) } });
}

async function describeSchema(database: TestDatabase): Promise<string[]> {
  await using sql = await connect(database);
  const oid = `(SELECT oid FROM pg_namespace WHERE nspname = '${schemaOf(database)}')`;
  const rows = await sql.unsafe<{ line: string }[]>(`
    SELECT concat_ws(' ', relname, attname, format_type(atttypid, atttypmod), attnotnull, attidentity, relpersistence) AS line
      FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
      WHERE relnamespace = ${oid} AND attnum > 0 AND relkind = 'r' AND relname <> 'migrations'
    UNION ALL SELECT pg_get_indexdef(indexrelid) || ' ' || indisvalid FROM pg_index
      JOIN pg_class ON pg_class.oid = indexrelid WHERE relnamespace = ${oid}
    UNION ALL SELECT conname || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = ${oid}
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = ${oid}
    UNION ALL SELECT pg_get_triggerdef(pg_trigger.oid) FROM pg_trigger
      JOIN pg_class ON pg_class.oid = tgrelid WHERE relnamespace = ${oid}`);
  return rows.map(({ line }) => line.replaceAll(schemaOf(database), "schema")).sort();
}

it("migrations make the same schema, whether they run without interruption or continue after any step, and every step can be repeated", async (whole) => {
  await (await open(whole)).close();
  const expected = await describeSchema(whole);
  expect(expected.length).toBeGreaterThan(40);
  for (let count = 0; count <= steps.length; count++) {
    await using database = await makeDatabase("postgres");
    await createPartialSchema(database, count);
    await (await open(database)).close();
    expect(await describeSchema(database)).toEqual(expected);
  }
});

it("ten instances that start at once migrate the schema only once", async (database) => {
  await createPartialSchema(database, stepCountUpTo(1));
  const stores = await Promise.all(Array.from({ length: 10 }, () => open(database)));
  await Promise.all(stores.map((store) => store.close()));
  await using sql = await connect(database);
  expect(await sql.unsafe("SELECT version FROM migrations ORDER BY version")).toHaveLength(migrations.length);
});

it("a schema is migrated while another schema is being migrated, but not while an older program migrates any schema", async (slow) => {
  await using database = await makeDatabase("postgres");
  await createPartialSchema(slow, stepCountUpTo(1));
  await using session = await connect(slow);
  await using other = await connect(slow);
  await session.unsafe("BEGIN; INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')");
  const opening = open(slow);
  const waitingQuery = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${schemaOf(slow)}.pets'::regclass`;
  await until(async () => (await other.unsafe(waitingQuery)).length > 0);
  await (await open(database)).close();
  const olderLockQuery = `SELECT pg_try_advisory_xact_lock(${0x70657473}) AS "isOurs"`;
  expect([...(await other.unsafe(olderLockQuery))]).toEqual([{ isOurs: false }]);
  await session.unsafe("COMMIT");
  await (await opening).close();
  expect([...(await other.unsafe(olderLockQuery))]).toEqual([{ isOurs: true }]);
});

it("a migration replaces the invalid index of an interrupted build", async (database) => {
  await createPartialSchema(database, stepCountUpTo(2) + 1);
  await using sql = await connect(database);
  await sql.unsafe("INSERT INTO claims VALUES ('a', '', '{}', 1), ('b', '', '{}', 1)");
  const failure = await sql.unsafe("CREATE UNIQUE INDEX CONCURRENTLY claims_by_line ON claims ((1))").catch(String);
  expect(failure).toContain("could not create unique index");
  await (await open(database)).close();
  expect(
    await sql.unsafe("SELECT pg_get_indexdef(oid) AS text FROM pg_class WHERE oid = 'claims_by_line'::regclass"),
  ).toEqual([expect.objectContaining({ text: expect.stringContaining("btree (line, created_at)") })]);
  expect(await sql.unsafe("SELECT indexrelid FROM pg_index WHERE NOT indisvalid")).toHaveLength(0);
});

it("a migration builds an index while other sessions write to the table", async (database) => {
  await createPartialSchema(database, stepCountUpTo(2) + 1);
  await using slow = await connect(database);
  await using other = await connect(database);
  // The build of the index waits for the end of this older snapshot.
  await slow.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
  const opening = open(database);
  const buildingQuery = `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%claims_by_line%${schemaOf(database)}%' AND wait_event_type = 'Lock'`;
  await until(async () => (await other.unsafe(buildingQuery)).length > 0);
  await other.unsafe("INSERT INTO claims VALUES ('a', '', '{}', 1)");
  expect(await other.unsafe(buildingQuery)).toHaveLength(1);
  await slow.unsafe("COMMIT");
  await (await opening).close();
});

it("a migration counts the animals while others are created, and does not block writers while it waits for a lock", async (database) => {
  await createPartialSchema(database, stepCountUpTo(1));
  await database.fill(9);
  await using slow = await connect(database);
  await using other = await connect(database);
  const insertStatement = "INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')";
  await slow.unsafe(`BEGIN; ${insertStatement}`);
  const opening = open(database);
  const waitingQuery = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${schemaOf(database)}.pets'::regclass`;
  await until(async () => (await other.unsafe(waitingQuery)).length > 0);
  // This insert queues behind the migration, which waits for the slow transaction.
  await other.unsafe(insertStatement);
  await slow.unsafe("COMMIT");
  const store = await opening;
  await other.unsafe(insertStatement);
  expect(await store.inventory()).toEqual({ available: 3, pending: 3, sold: 6 });
  await store.close();
});

it("a migration changes all rows in batches", async (database) => {
  await createPartialSchema(database, stepCountUpTo(2));
  await database.run(`INSERT INTO claims
    SELECT decode(lpad(to_hex(id), 8, '0'), 'hex'), '', '{"result":{"id":1,"sealed":"Zm9v"}}', 1 FROM generate_series(1, 2500) AS ids (id)`);
  await (await open(database)).close();
  await using sql = await connect(database);
  expect(await sql.unsafe("SELECT conclusion, count(*)::integer AS count FROM claims GROUP BY 1")).toEqual([
    expect.objectContaining({ conclusion: '{"result": {"id": 1}}', count: 2500 }),
  ]);
});

/** Returns the error messages of all functions that open, plan, inspect or check a store. */
async function collectErrorMessages(database: TestDatabase): Promise<string[]> {
  const { address } = database;
  const attempts = [
    () => planMigration(address),
    () => inspectStore(address, 10),
    () => checkStore(address, { shouldReplay: false }),
    () => openExistingStore(address, { poolSize: 2, onDeath: () => {} }),
    () => open(database),
  ];
  const messages: string[] = [];
  for (const attempt of attempts) {
    const error = await attempt().catch((thrown: unknown) => thrown);
    if (!(error instanceof StoreOpenError)) throw new Error("It was not refused.", { cause: error });
    messages.push(error.message);
  }
  return messages;
}

/** Returns XML that describes the schema and contains the rows of its tables. */
async function readContent(database: TestDatabase): Promise<string> {
  await using sql = await connect(database);
  const [row] = await sql.unsafe<{ content: string }[]>(
    `SELECT schema_to_xml('${schemaOf(database)}', true, false, '')::text AS content`,
  );
  return `${(await describeSchema(database)).join("\n")}\n${row?.content}`;
}

const createHistory =
  "CREATE TABLE migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())";

test.each([
  [
    "tables with other columns",
    "CREATE TABLE keys (k text); CREATE TABLE categories (id bigint PRIMARY KEY, name text)",
    "table categories",
  ],
  [
    "a table with the same columns",
    `CREATE TABLE orders (id bigint PRIMARY KEY, pet_id bigint, status text, created_at bigint, updated_at bigint);
     INSERT INTO orders VALUES (1, 1, 'placed', 1, 1)`,
    "table orders",
  ],
  [
    "the table of migrations of a common tool",
    `CREATE TABLE migrations (id serial, "timestamp" bigint, name varchar, version integer);
     INSERT INTO migrations VALUES (1, 1, 'init', 3)`,
    "table migrations",
  ],
  ["migrations whose versions are text", "CREATE TABLE migrations (version text, name text)", "table migrations"],
  [
    "a table of migrations with the same columns",
    `${createHistory}; INSERT INTO migrations VALUES (1, 'init'), (2, 'animals and keys')`,
    "table migrations",
  ],
  ["migrations counted from 0", `${createHistory}; INSERT INTO migrations VALUES (0, 'init')`, "table migrations"],
  ["an empty table of migrations, and another table", `${createHistory}; CREATE TABLE pets (id bigint)`, "table pets"],
  ["a view", "CREATE VIEW events AS SELECT 1 AS id", "view events"],
  ["a sequence", "CREATE SEQUENCE webhooks", "sequence webhooks"],
  ["an index", "CREATE TABLE other (id bigint); CREATE INDEX open_orders ON other (id)", "index open_orders"],
  ["a type", "CREATE TYPE pets AS ENUM ('cat', 'dog')", "type pets"],
  [
    "a function",
    "CREATE FUNCTION count_added() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
    "function count_added",
  ],
])("a schema of another application with %s is refused and left unchanged", async (_, statements, named) => {
  await using database = await makeDatabase("postgres");
  await database.run(`CREATE SCHEMA ${schemaOf(database)}`);
  await database.run(statements);
  const before = await readContent(database);
  const line = `The schema ${schemaOf(database)} of the PostgreSQL database seems to belong to another application: animal-store did not create its ${named}. Choose another one with ?schema=NAME in the URL; if it is a partly restored store, restore all of it.`;
  expect(await collectErrorMessages(database)).toEqual(Array.from({ length: 5 }, () => line));
  expect(await readContent(database)).toBe(before);
});

it("another application's schema can hold a store if the application uses none of the store's names", async (database) => {
  await database.run(`CREATE SCHEMA ${schemaOf(database)}`);
  await database.run("CREATE TABLE customers (id bigint PRIMARY KEY); CREATE SEQUENCE pets_id_seq");
  const store = await open(database);
  expect(await store.pets.create({ name: "Rex", categoryId: 1, status: "sold" })).toMatchObject({ id: 1 });
  await store.close();
});

it("a store is not migrated if another application has a table with the name that a pending migration needs", async (database) => {
  await createPartialSchema(database, stepCountUpTo(4));
  await database.run("CREATE TABLE webhooks (id bigint, url text)");
  const before = await readContent(database);
  const line = `The schema ${schemaOf(database)} of the PostgreSQL database seems to belong to another application: animal-store did not create its table webhooks. Choose another one with ?schema=NAME in the URL; if it is a partly restored store, restore all of it.`;
  expect(new Set(await collectErrorMessages(database))).toEqual(new Set([line]));
  expect(await readContent(database)).toBe(before);
});

it("a store counts as complete while another instance migrates it", async (database) => {
  await createPartialSchema(database, stepCountUpTo(4));
  const address = database.address as PostgresAddress;
  const connection = new Connection({ ...address, poolSize: 1, role: "primary", note: () => {} });
  let statementCount = 0;
  const query = createQuery(connection.schema, async (text, parameters) => {
    const rows = await connection.query<never>(text, parameters);
    if (++statementCount === 1) await (await open(database)).close();
    return rows;
  });
  const foundSchema = await findSchema(query, address.schema);
  expect(foundSchema).toMatchObject({ version: migrations.length, missing: [] });
  await connection.close();
});

test.each([
  ["a table", "DROP TABLE webhook_parked", "table webhook_parked"],
  ["a table that a view has replaced", "ALTER TABLE claims RENAME TO c; CREATE VIEW claims AS TABLE c", "table claims"],
  ["a column", "ALTER TABLE keys DROP COLUMN line", "column keys.line"],
  ["an identity", "ALTER TABLE pets ALTER COLUMN id DROP IDENTITY", "identity pets.id"],
])("a store without %s is not opened, and check reports the missing part", async (_, statement, named) => {
  await using database = await makeDatabase("postgres");
  await (await open(database)).close();
  await database.run(statement);
  const line = `The store in the schema ${schemaOf(database)} of the PostgreSQL database is incomplete. Missing: ${named}. Restore a backup.`;
  for (const attempt of [planMigration, () => inspectStore(database.address, 10), () => open(database)]) {
    expect(await attempt(database.address).catch((error: unknown) => error)).toEqual(new StoreOpenError(line));
  }
  expect(await checkStore(database.address, { shouldReplay: false })).toEqual([
    {
      rule: "the schema is complete",
      problem: expect.stringMatching(new RegExp(`^Missing: ${named}[.;].*Restore a backup\\.$`)),
    },
  ]);
});
