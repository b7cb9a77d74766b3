import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { openStore } from "../../src/store/open-store.ts";
import { type Engine, makeDatabase, type TestDatabase, urlOf } from "../support/database.ts";
import { makeSomeHistory } from "../support/history.ts";
import { RunningProgram, runProgram } from "../support/program.ts";

async function prepare(database: TestDatabase): Promise<void> {
  const store = await openStore(database.address, { poolSize: 1, onDeath: () => {} });
  await database.fill(30);
  await store.orders.place(3, 1000);
  const claim = {
    name: Buffer.alloc(32, 1),
    fingerprint: Buffer.alloc(32, 2),
    line: 1,
    at: Date.now(),
    onReplay: () => {},
  };
  await store.once(claim).pets.create({ name: "Rex", categoryId: 1, status: "available" });
  await store.close();
}

function check(database: TestDatabase, ...more: readonly string[]) {
  return runProgram(["check", "--database", urlOf(database), ...more]);
}

describe.each<Engine>(["sqlite", "postgres"])("check on %s", (engine) => {
  const first = engine === "sqlite" ? ["the file is undamaged", "the schema is complete"] : ["every index is whole"];
  const common = [
    "the inventory is the number of the animals",
    "the animal of every open order is pending",
    "no id will be given twice",
    "what is kept of repeatable requests can be read",
  ];
  const rules = [...first, ...common];

  test("says of every rule that it holds, and exits with 0", async () => {
    await using database = await makeDatabase(engine);
    await prepare(database);
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
      "The table pets has the id 31, but 5 was given last.",
      {
        sqlite: "UPDATE sqlite_sequence SET seq = 5 WHERE name = 'pets'",
        postgres: "SELECT setval(pg_get_serial_sequence('pets', 'id'), 5)",
      },
    ],
    [
      4,
      "Of what is kept, 1 cannot.",
      { sqlite: "UPDATE claims SET conclusion = '{'", postgres: "UPDATE claims SET conclusion = '{'" },
    ],
  ])("names what breaks rule %d, and exits with 1", async (rule, problem, sql) => {
    await using database = await makeDatabase(engine);
    await prepare(database);
    await database.run(sql[engine] ?? "");
    const { stdout, stderr, exitCode } = await check(database);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 1 });
    expect(stdout.split("\n").filter((line) => !line.startsWith("ok"))).toEqual([
      `WRONG    ${common[rule - 1]}: ${problem}`,
      "",
    ]);
  });
});

describe.each<Engine>(["sqlite", "postgres"])("check --replay on %s", (engine) => {
  const rules = [
    "no event is missing between the first and the last",
    "every event follows from the one before it",
    "the last event of each is what the store has",
    "nothing is in the store without an event",
    "the inventory is what the events make it",
  ];
  /** What it says of the log, without what is ok. */
  const replay = async (database: TestDatabase) => {
    const { stdout, stderr, exitCode } = await check(database, "--replay");
    const lines = stdout.trimEnd().split("\n");
    expect(stderr).toBe("");
    expect(lines.slice(-rules.length).map((line) => line.slice(9).split(":")[0])).toEqual(rules);
    return { exitCode, lines: lines.filter((line) => !line.startsWith("ok")) };
  };

  test("finds the store to be what its events make it, whatever has happened", async () => {
    await using database = await makeDatabase(engine);
    await makeSomeHistory(database);
    expect(await replay(database)).toEqual({ exitCode: 0, lines: [] });
  });

  test.each<[what: string, sql: string, rule: number, problem: RegExp]>([
    ["an event that is gone", "DELETE FROM events WHERE position = 3", 0, /^There are \d+ from position 1 to \d+\.$/],
    [
      "an event that does not follow",
      `UPDATE events SET body = replace(body, '"previous":{"name":"Rex"', '"previous":{"name":"Max"') WHERE type = 'pet.updated'`,
      1,
      /^These do not: pet\.updated of pets\/1 at position \d+\.$/,
    ],
    ["a change without an event", "UPDATE pets SET name = 'Quiet' WHERE id = 1", 2, /^Not so: pets\/1\.$/],
    ["a deletion without an event", "DELETE FROM categories WHERE id = 7", 2, /^Not so: categories\/7\.$/],
    ["a key that is changed", "UPDATE keys SET revoked_at = NULL", 2, /^Not so: keys\/2\.$/],
    [
      "a row without an event",
      "INSERT INTO categories (id, name) VALUES (-9223372036854775808, 'Quiet')",
      3,
      /^Without an event: categories\/-9223372036854775808\.$/,
    ],
  ])("names %s", async (_, sql, rule, problem) => {
    await using database = await makeDatabase(engine);
    await makeSomeHistory(database);
    await database.run(sql);
    const { exitCode, lines } = await replay(database);
    expect(exitCode).toBe(1);
    const line = lines.find((one) => one.startsWith(`WRONG    ${rules[rule]}: `)) ?? "";
    expect(line.slice(`WRONG    ${rules[rule]}: `.length)).toMatch(problem);
  });

  test("says what was compared where the log has no beginning any more, or never had", async () => {
    await using database = await makeDatabase(engine);
    await makeSomeHistory(database);
    const skipped = (why: string) =>
      rules.slice(3).map((rule) => `skipped  ${rule}: ${why}, so only what has events was compared.`);
    await database.run("DELETE FROM events WHERE position < 4");
    expect(await replay(database)).toEqual({ exitCode: 0, lines: skipped("Events before position 4 were removed") });
    await database.run("INSERT INTO events (position, id, type, subject, at, body) VALUES (0, '', '', '', 0, '')");
    expect(await replay(database)).toEqual({ exitCode: 0, lines: skipped("The store is older than its log") });
    await database.run("UPDATE pets SET name = 'Quiet' WHERE id = 1");
    expect((await replay(database)).lines).toContain(
      "WRONG    the last event of each is what the store has: Not so: pets/1.",
    );
  });
});

test("check finds damage in a file that is too large to be read through at every start", async () => {
  await using database = await makeDatabase("sqlite");
  await (await openStore(database.address, { poolSize: 1, onDeath: () => {} })).close();
  await database.fill(200_000);
  const path = urlOf(database).replace("sqlite:", "");
  const bytes = readFileSync(path);
  expect(bytes.length).toBeGreaterThan(16 * 1024 * 1024);
  bytes.fill(7, bytes.length - 40_960, bytes.length - 4_096);
  writeFileSync(path, bytes);
  const { stdout, exitCode } = await check(database);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^WRONG {4}the file is undamaged: Restore a backup: [^\n]+\n$/);
});

test.each([
  ["index", "pets_by_status"],
  ["trigger", "count_added"],
  ["table", "categories"],
])("check on sqlite finds that the %s %s was dropped", async (type, name) => {
  await using database = await makeDatabase("sqlite");
  await prepare(database);
  await database.run(`DROP ${type} ${name}`);
  const { stdout, exitCode } = await check(database);
  expect(exitCode).toBe(1);
  const wrong = stdout.split("\n").filter((line) => line.startsWith("WRONG"));
  const advice = "Restore a backup, or copy what is there into a new database with animal-store copy.";
  expect(wrong).toEqual([`WRONG    the schema is complete: Missing: ${type} ${name}. ${advice}`]);
});

test("check reads what is in the log of a service that was killed, and leaves every byte as it was", async () => {
  await using database = await makeDatabase("sqlite");
  const path = urlOf(database).replace("sqlite:", "");
  const program = await RunningProgram.start(path, { args: ["--log-level", "off"] });
  await program.client.call("/v1/pets", { body: { name: "In the log alone", categoryId: 7 } });
  await program.signal("SIGKILL");
  const before = [path, `${path}-wal`].map((file) => readFileSync(file));
  expect((await check(database)).exitCode).toBe(0);
  expect([path, `${path}-wal`].map((file, index) => before[index]?.equals(readFileSync(file)))).toEqual([true, true]);
});
