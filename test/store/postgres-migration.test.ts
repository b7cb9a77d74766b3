import { describe, expect, test } from "bun:test";
import { SQL } from "bun";
import { openStore } from "../../src/store/open-store.ts";
import { migrations, type Step } from "../../src/store/postgres/migrate.ts";
import { makeDatabase, sharedPostgres, type TestDatabase } from "../support/database.ts";

const open = ({ address }: TestDatabase) => openStore(address, { poolSize: 2, onDeath: () => {} });

const steps = migrations.flatMap(({ version, name, steps }) =>
  steps.map((step, index) => ({ version, name, step, isLast: index === steps.length - 1 })),
);

/** The schema as the first so many steps leave it, noted as the first programs did: without saying which others work with it. */
async function stopAfter(database: TestDatabase, count: number): Promise<void> {
  await database.run(`CREATE SCHEMA ${schemaOf(database)}`);
  await database.run(
    "CREATE TABLE migrations (version integer PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())",
  );
  for (const { version, name, step, isLast } of steps.slice(0, count)) {
    await make(database, step);
    if (isLast) await database.run(`INSERT INTO migrations (version, name) VALUES (${version}, '${name}')`);
  }
}

async function make(database: TestDatabase, step: Step): Promise<void> {
  if ("sql" in step) await database.run(step.sql);
  if ("index" in step) await database.run(`CREATE INDEX ${step.index} ON ${step.on.replace("store.", "")}`);
}

/** How many steps there are up to and including those of a version. */
const upTo = (version: number) => steps.filter((step) => step.version <= version).length;

const schemaOf = ({ address }: TestDatabase) => (address as { schema: string }).schema;

async function connect(database: TestDatabase): Promise<SQL> {
  const { url } = await sharedPostgres();
  return new SQL({ url, max: 1, connection: { search_path: schemaOf(database) } });
}

/** Everything that a migration makes, as the server describes it. */
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

describe("a schema on PostgreSQL", () => {
  test("is the same whether it is made at once or from any step that a broken run has left, and each can be made again", async () => {
    await using whole = await makeDatabase("postgres");
    await (await open(whole)).close();
    const expected = await describeSchema(whole);
    expect(expected.length).toBeGreaterThan(40);
    for (let count = 0; count <= steps.length; count++) {
      await using database = await makeDatabase("postgres");
      await stopAfter(database, count);
      await (await open(database)).close();
      expect(await describeSchema(database)).toEqual(expected);
    }
  });

  test("is changed once by ten instances that start at once", async () => {
    await using database = await makeDatabase("postgres");
    await stopAfter(database, upTo(1));
    const stores = await Promise.all(Array.from({ length: 10 }, () => open(database)));
    await Promise.all(stores.map((store) => store.close()));
    await using sql = await connect(database);
    expect(await sql.unsafe("SELECT version FROM migrations ORDER BY version")).toHaveLength(migrations.length);
  });

  test("gets an index anew that a broken run has left unfinished", async () => {
    await using database = await makeDatabase("postgres");
    await stopAfter(database, upTo(2) + 1);
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

  test("gets an index while others write to its table", async () => {
    await using database = await makeDatabase("postgres");
    await stopAfter(database, upTo(2) + 1);
    await using slow = await connect(database);
    await using other = await connect(database);
    // It has seen the database as it was, and the index is finished only after all who have.
    await slow.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1");
    const opening = open(database);
    const building = `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'CREATE INDEX%claims_by_line%${schemaOf(database)}%' AND wait_event_type = 'Lock'`;
    while ((await other.unsafe(building)).length === 0) await Bun.sleep(5);
    await other.unsafe("INSERT INTO claims VALUES ('a', '', '{}', 1)");
    expect(await other.unsafe(building)).toHaveLength(1);
    await slow.unsafe("COMMIT");
    await (await opening).close();
  });

  test("counts its animals while others add some, and lets nobody wait behind a table that it cannot have yet", async () => {
    await using database = await makeDatabase("postgres");
    await stopAfter(database, upTo(1));
    await database.fill(9);
    await using slow = await connect(database);
    await using other = await connect(database);
    const insert = "INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')";
    await slow.unsafe(`BEGIN; ${insert}`);
    const opening = open(database);
    const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND relation = '${schemaOf(database)}.pets'::regclass`;
    while ((await other.unsafe(waiting)).length === 0) await Bun.sleep(5);
    // Behind the change of the table, which waits for the slow one.
    await other.unsafe(insert);
    await slow.unsafe("COMMIT");
    const store = await opening;
    await other.unsafe(insert);
    expect(await store.inventory()).toEqual({ available: 3, pending: 3, sold: 6 });
    await store.close();
  });

  test("is filled by batches from the first row to the last", async () => {
    await using database = await makeDatabase("postgres");
    await stopAfter(database, upTo(2));
    await database.run(`INSERT INTO claims
      SELECT decode(lpad(to_hex(id), 8, '0'), 'hex'), '', '{"result":{"id":1,"sealed":"Zm9v"}}', 1 FROM generate_series(1, 2500) AS ids (id)`);
    await (await open(database)).close();
    await using sql = await connect(database);
    expect(await sql.unsafe("SELECT conclusion, count(*)::integer AS count FROM claims GROUP BY 1")).toEqual([
      expect.objectContaining({ conclusion: '{"result": {"id": 1}}', count: 2500 }),
    ]);
  });
});
