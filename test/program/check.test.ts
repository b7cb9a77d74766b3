import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { openStore } from "../../src/store/open-store.ts";
import { type Engine, makeDatabase, type TestDatabase, urlOf } from "../support/database.ts";
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

function check(database: TestDatabase) {
  return runProgram(["check", "--database", urlOf(database)]);
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
