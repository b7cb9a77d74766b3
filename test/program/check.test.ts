import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { SQL } from "bun";
import { openStore } from "../../src/store/open-store.ts";
import { fillDatabase } from "../support/animals.ts";
import { type Engine, makeDatabase, sharedPostgres, type TestDatabase, urlOf } from "../support/database.ts";
import { logEveryEventType, markEventLogAsYounger } from "../support/history.ts";
import { RunningProgram, runProgram } from "../support/program.ts";
import { until } from "../support/wait.ts";

async function makeStoreWithOrder(engine: Engine): Promise<TestDatabase> {
  const database = await makeDatabase(engine);
  const store = await openStore(database.address, { poolSize: 1, onDeath: () => {} });
  await database.fill(30);
  await store.orders.place({ petId: 3 }, 1000);
  const record = {
    name: Buffer.alloc(32, 1),
    fingerprint: Buffer.alloc(32, 2),
    family: 1,
    at: Date.now(),
    onReplay: () => {},
  };
  await store.withIdempotency(record).pets.create({ name: "Rex", categoryId: 1, status: "available" });
  await store.close();
  return database;
}

async function makeStoreWithEvents(engine: Engine): Promise<TestDatabase> {
  const database = await makeDatabase(engine);
  await logEveryEventType(database);
  return database;
}

function check(database: TestDatabase, ...more: readonly string[]) {
  return runProgram(["check", "--database", urlOf(database), ...more]);
}

describe.each<Engine>(["sqlite", "postgres"])("check on %s", (engine) => {
  const engineRules =
    engine === "sqlite"
      ? ["the file is undamaged", "the schema is complete", "every trigger is the program's own"]
      : ["the schema is complete", "every index is whole", "every trigger is enabled"];
  const commonRules = [
    "the inventory agrees with the number of animals",
    "the animal of every open order is pending",
    "no id will be assigned twice",
    "the stored outcomes of requests can be read",
  ];
  const rules = [...engineRules, ...commonRules];

  test("check reports that every rule holds, and exits with 0", async () => {
    await using database = await makeStoreWithOrder(engine);
    expect(await check(database)).toEqual({
      stdout: rules.map((rule) => `ok       ${rule}\n`).join(""),
      stderr: "",
      exitCode: 0,
    });
  });

  test.each<[rule: number, problem: string, sql: Partial<Record<Engine, string>>]>([
    [
      1,
      "The inventory has available: 14, but there are 10.",
      {
        sqlite: "UPDATE inventory SET count = count + 4 WHERE status = 'available'",
        postgres: "INSERT INTO inventory_changes (status, change) VALUES ('available', 4)",
      },
    ],
    [
      2,
      "Open: order 1 of animal 3, which is available; order 2 of animal 99, which is gone.",
      {
        sqlite: `UPDATE pets SET status = 'available' WHERE id = 3;
          INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (99, 'placed', 1, 1)`,
        postgres: `UPDATE pets SET status = 'available' WHERE id = 3;
          INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (99, 'placed', 1, 1)`,
      },
    ],
    [
      3,
      "The table pets has the id 31, but last assigned 5.",
      {
        sqlite: "UPDATE sqlite_sequence SET seq = 5 WHERE name = 'pets'",
        postgres: "SELECT setval(pg_get_serial_sequence('pets', 'id'), 5)",
      },
    ],
    [
      4,
      "Unreadable outcomes: 1.",
      { sqlite: "UPDATE claims SET conclusion = '{'", postgres: "UPDATE claims SET conclusion = '{'" },
    ],
  ])("check exits with 1, and reports a violation of rule %d: %s", async (rule, problem, sql) => {
    await using database = await makeStoreWithOrder(engine);
    await database.run(sql[engine] ?? "");
    const { stdout, stderr, exitCode } = await check(database);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 1 });
    expect(stdout.split("\n").filter((line) => !line.startsWith("ok"))).toEqual([
      `WRONG    ${commonRules[rule - 1]}: ${problem}`,
      "",
    ]);
  });
});

test("check --replay on PostgreSQL reports an event that is missing from a row with several events", async () => {
  await using database = await makeStoreWithEvents("postgres");
  await database.run("UPDATE events SET body = rtrim(regexp_replace(body, '[^\\n]*$', ''), E'\\n') WHERE size > 1");
  const { stdout, stderr, exitCode } = await check(database, "--replay");
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 1 });
  expect(stdout).toMatch(
    /^WRONG {4}no event is missing between the first and the last: There are \d+ from position 1 to \d+\.$/m,
  );
});

describe.each<Engine>(["sqlite", "postgres"])("check --replay on %s", (engine) => {
  const rules = [
    "no event is missing between the first and the last",
    "every event follows from the one before it",
    "the last event of each resource agrees with the store",
    "every resource in the store has an event",
    "the inventory agrees with the events",
  ];
  /** Runs `check --replay`. Returns the exit code, and the findings that are not ok. */
  const replay = async (database: TestDatabase) => {
    const { stdout, stderr, exitCode } = await check(database, "--replay");
    const lines = stdout.trimEnd().split("\n");
    expect(stderr).toBe("");
    expect(lines.slice(-rules.length).map((line) => line.slice(9).split(":")[0])).toEqual(rules);
    return { exitCode, lines: lines.filter((line) => !line.startsWith("ok")) };
  };

  test("check --replay finds that the store matches its events", async () => {
    await using database = await makeStoreWithEvents(engine);
    expect(await replay(database)).toEqual({ exitCode: 0, lines: [] });
  });

  test("check --replay treats a field that older events lack as null", async () => {
    await using database = await makeStoreWithEvents(engine);
    await database.run(`UPDATE events SET body = replace(body, ',"rotatedAt":null', '') WHERE type = 'key.created'`);
    expect(await replay(database)).toEqual({ exitCode: 0, lines: [] });
  });

  test.each<[what: string, sql: string, rule: number, problem: RegExp]>([
    ["a deleted event", "DELETE FROM events WHERE position = 3", 0, /^There are \d+ from position 1 to \d+\.$/],
    [
      "an event that does not follow",
      `UPDATE events SET body = replace(body, '"previous":{"name":"Rex"', '"previous":{"name":"Max"') WHERE type = 'pet.updated'`,
      1,
      /^These do not: pet\.updated of pets\/1 at position \d+\.$/,
    ],
    ["a change without an event", "UPDATE pets SET name = 'Quiet' WHERE id = 1", 2, /^These differ: pets\/1\.$/],
    ["a deletion without an event", "DELETE FROM categories WHERE id = 7", 2, /^These differ: categories\/7\.$/],
    ["a key that was changed", "UPDATE keys SET revoked_at = NULL", 2, /^These differ: keys\/2\.$/],
    [
      "a row without an event",
      "INSERT INTO categories (id, name) VALUES (-9223372036854775808, 'Quiet')",
      3,
      /^Without an event: categories\/-9223372036854775808\.$/,
    ],
  ])("check --replay reports %s", async (_, sql, rule, problem) => {
    await using database = await makeStoreWithEvents(engine);
    await database.run(sql);
    const { exitCode, lines } = await replay(database);
    expect(exitCode).toBe(1);
    const line = lines.find((one) => one.startsWith(`WRONG    ${rules[rule]}: `)) ?? "";
    expect(line.slice(`WRONG    ${rules[rule]}: `.length)).toMatch(problem);
  });

  test("check --replay reports the skipped checks if the event log lacks the first events", async () => {
    await using database = await makeStoreWithEvents(engine);
    const skipped = (why: string) =>
      rules.slice(3).map((rule) => `skipped  ${rule}: ${why}, so only resources with events were compared.`);
    await database.run("DELETE FROM events WHERE position < 4");
    expect(await replay(database)).toEqual({ exitCode: 0, lines: skipped("Events before position 4 were deleted") });
    await markEventLogAsYounger(database);
    expect(await replay(database)).toEqual({ exitCode: 0, lines: skipped("The store is older than its log") });
    await database.run("UPDATE pets SET name = 'Quiet' WHERE id = 1");
    expect((await replay(database)).lines).toContain(
      "WRONG    the last event of each resource agrees with the store: These differ: pets/1.",
    );
  });
});

test("check finds damage in a file that is too large for the check at startup", async () => {
  await using database = await makeDatabase("sqlite");
  await (await openStore(database.address, { poolSize: 1, onDeath: () => {} })).close();
  const path = urlOf(database).replace("sqlite:", "");
  fillDatabase(path, 20_000, "x".repeat(240));
  const bytes = readFileSync(path);
  expect(bytes.length).toBeGreaterThan(16 * 1024 * 1024);
  bytes.fill(7, bytes.length - 40_960, bytes.length - 4_096);
  writeFileSync(path, bytes);
  const { stdout, exitCode } = await check(database);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^WRONG {4}the file is undamaged: Restore a backup: [^\n]+\n$/);
});

async function findProblems(database: TestDatabase): Promise<string[]> {
  const { stdout, exitCode } = await check(database);
  const wrong = stdout.split("\n").filter((line) => line.startsWith("WRONG"));
  expect(exitCode).toBe(wrong.length > 0 ? 1 : 0);
  return wrong.map((line) => line.slice("WRONG    ".length));
}

describe.each<Engine>(["sqlite", "postgres"])("check on %s", (engine) => {
  const advice =
    engine === "sqlite"
      ? "Stop the service, and restore a backup with animal-store restore, or run with SQLite's own shell: "
      : "Run as the owner of the schema: ";

  test.each([
    ["index", "pets_by_status", "DROP INDEX pets_by_status"],
    ["trigger", "count_added", engine === "sqlite" ? "DROP TRIGGER count_added" : "DROP TRIGGER count_added ON pets"],
  ])("check finds that the %s %s was dropped, and says how to restore it", async (type, name, drop) => {
    await using database = await makeStoreWithOrder(engine);
    await database.run(drop);
    const [line = "", ...others] = await findProblems(database);
    const finding = `the schema is complete: Missing: ${type} ${name}. ${advice}`;
    expect([line.slice(0, finding.length), others]).toEqual([finding, []]);
    await database.run(line.slice(finding.length));
    expect(await findProblems(database)).toEqual([]);
  });

  test("check finds that a table was dropped, and advises restoring a backup", async () => {
    await using database = await makeStoreWithOrder(engine);
    await database.run("DROP TABLE categories");
    const [line, ...others] = await findProblems(database);
    const postgresParts = ["index categories_pkey", "trigger forget_folded_category", "index categories_unfolded"];
    const foldedOtherwise = engine === "sqlite" ? [] : ["index categories_folded_otherwise"];
    const parts = [
      "table categories",
      ...(engine === "sqlite" ? [] : postgresParts),
      "index categories_by_name",
      ...foldedOtherwise,
    ];
    expect([line, others]).toEqual([`the schema is complete: Missing: ${parts.join("; ")}. Restore a backup.`, []]);
  });
});

describe("check on sqlite", () => {
  const rule = "every trigger is the program's own: Others may change data at every write: ";

  test("check finds foreign triggers, even one with the name of a trigger of the program", async () => {
    await using database = await makeStoreWithOrder("sqlite");
    await database.run('CREATE TRIGGER "a ""b" AFTER INSERT ON orders BEGIN UPDATE pets SET name = \'x\'; END');
    await database.run("DROP TRIGGER count_added");
    await database.run("CREATE TRIGGER count_added AFTER INSERT ON pets BEGIN UPDATE inventory SET count = 0; END");
    const [line = "", ...others] = await findProblems(database);
    expect(line).toStartWith(`${rule}${JSON.stringify('a "b')}; "count_added". `);
    expect(others).toEqual([]);
  });

  test("check accepts other tables, views and indexes, and the triggers of a newer version", async () => {
    await using database = await makeStoreWithOrder("sqlite");
    await database.run("CREATE TABLE notes (text TEXT)");
    await database.run("CREATE VIEW sold AS SELECT * FROM pets WHERE status = 'sold'");
    await database.run("CREATE INDEX of_my_own ON pets (name, status)");
    await database.run("CREATE VIRTUAL TABLE words USING fts5 (word)");
    await database.run("ANALYZE");
    expect(await findProblems(database)).toEqual([]);
    await database.run("CREATE TRIGGER later AFTER INSERT ON orders BEGIN SELECT 1; END");
    await database.run(
      "INSERT INTO migrations (version, name, applied_at, oldest_program) SELECT max(version) + 1, 'x', 0, 1 FROM migrations",
    );
    expect(await findProblems(database)).toEqual([]);
  });
});

describe("check on postgres", () => {
  test("check finds an index whose build was killed, and says how to rebuild it", async () => {
    await using database = await makeStoreWithOrder("postgres");
    const { schema } = database.address as { schema: string };
    await database.run("DROP INDEX pets_by_status");
    await killIndexBuild(database, "CREATE INDEX CONCURRENTLY pets_by_status ON pets (status, id)");
    const statement = `REINDEX INDEX CONCURRENTLY "${schema}"."pets_by_status";`;
    expect(await findProblems(database)).toEqual([
      `every index is whole: Run as the owner of the schema: ${statement}`,
    ]);
    await killIndexBuild(database, statement);
    const drop = `DROP INDEX CONCURRENTLY "${schema}"."pets_by_status_ccnew";`;
    expect(await findProblems(database)).toEqual([
      `every index is whole: Run as the owner of the schema: ${statement} ${drop}`,
    ]);
    await database.run(drop);
    await database.run(statement);
    expect(await findProblems(database)).toEqual([]);
  });

  test("check finds a disabled trigger, and says how to enable it", async () => {
    await using database = await makeStoreWithOrder("postgres");
    await database.run("ALTER TABLE pets DISABLE TRIGGER count_moved");
    const { schema } = database.address as { schema: string };
    const statement = `ALTER TABLE "${schema}"."pets" ENABLE TRIGGER "count_moved";`;
    expect(await findProblems(database)).toEqual([
      `every trigger is enabled: Run as the owner of the schema: ${statement}`,
    ]);
    await database.run(statement);
    expect(await findProblems(database)).toEqual([]);
  });

  test("check of an outdated schema says to run migrate first", async () => {
    await using database = await makeStoreWithOrder("postgres");
    await database.run("DELETE FROM migrations WHERE version = (SELECT max(version) FROM migrations)");
    expect(await check(database)).toMatchObject({
      stderr: "animal-store: The schema of the database is of an older version. Run animal-store migrate first.\n",
      exitCode: 2,
    });
  });
});

async function killIndexBuild(database: TestDatabase, build: string): Promise<void> {
  const { url } = await sharedPostgres();
  const { schema } = database.address as { schema: string };
  await using writer = new SQL({ url, max: 1, connection: { search_path: schema } });
  await using builder = new SQL({ url, max: 1, connection: { search_path: schema } });
  await using killer = new SQL({ url, max: 1 });
  await writer.unsafe("BEGIN");
  await writer.unsafe("UPDATE pets SET name = 'Held' WHERE id = 1");
  const [backend] = await builder.unsafe<{ pid: number }[]>("SELECT pg_backend_pid() AS pid");
  const built = builder.unsafe(build).then(
    () => "built",
    () => "killed",
  );
  await until(async () => {
    const [row] = await killer.unsafe<{ waits: boolean }[]>(
      `SELECT wait_event_type = 'Lock' AS waits FROM pg_stat_activity WHERE pid = ${backend?.pid}`,
    );
    return row?.waits === true;
  });
  const { stdout, exitCode } = await check(database);
  const skipped = "skipped  every index is whole: A build seems to be running. Run the check again afterwards.";
  expect([exitCode, stdout.split("\n").filter((line) => line !== "" && !line.startsWith("ok"))]).toEqual([
    0,
    [skipped],
  ]);
  await killer.unsafe(`SELECT pg_terminate_backend(${backend?.pid})`);
  expect(await built).toBe("killed");
  await writer.unsafe("ROLLBACK");
}

test("check reads the WAL of a killed service, and changes no byte", async () => {
  await using database = await makeDatabase("sqlite");
  const path = urlOf(database).replace("sqlite:", "");
  const program = await RunningProgram.start(path, { args: ["--log-level", "off"] });
  await program.client.call("/v1/pets", { body: { name: "In the WAL alone", categoryId: 7 } });
  await program.signal("SIGKILL");
  const before = [path, `${path}-wal`].map((file) => readFileSync(file));
  expect((await check(database)).exitCode).toBe(0);
  expect([path, `${path}-wal`].map((file, index) => before[index]?.equals(readFileSync(file)))).toEqual([true, true]);
});
