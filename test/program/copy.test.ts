import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/store/open-store.ts";
import { type Engine, makeDatabase, type TestDatabase, urlOf } from "../support/database.ts";
import { addKey } from "../support/keys.ts";
import { endBySignal, failure, programCommand, RunningProgram, runProgram } from "../support/program.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { MovableAddress } from "../support/tcp-proxy.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

const count = 10_000;

async function prepare(database: TestDatabase) {
  const store = await openStore(database.address, { poolSize: 1, onDeath: () => {} });
  await database.fill(count);
  for (const categoryId of [9223372036854775807n, -9223372036854775808n, 9007199254740993n]) {
    await store.pets.create({ name: 'Odd {"name", \\ NULL} 🦜', categoryId, status: "sold" });
  }
  await database.run("DELETE FROM pets WHERE id = 7 OR id = 10003");
  await store.orders.place({ petId: 3 }, 1000);
  await store.categories.put({ id: -9223372036854775808n, name: "Birds" }, undefined);
  const { key } = await addKey(store, { scope: "write", createdAt: 1 });
  await store.close();
  return key;
}

describe.each<[Engine, Engine]>([
  ["sqlite", "postgres"],
  ["postgres", "sqlite"],
])("copy from %s to %s", (fromEngine, toEngine) => {
  test("a copy that was killed and resumed keeps ids, integers and keys, and reuses no id", async () => {
    await using from = await makeDatabase(fromEngine);
    await using to = await makeDatabase(toEngine);
    const key = await prepare(from);
    const args = ["copy", "--from", urlOf(from), "--to", urlOf(to)];

    const killed = Bun.spawn([...programCommand, ...args], { env: process.env, stdout: "ignore", stderr: "ignore" });
    await until(async () => killed.exitCode !== null || (await hasAnimals(to)));
    await endBySignal(killed, "SIGKILL");

    const { stdout, stderr, exitCode } = await runProgram(args);
    expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
    expect(stdout).toMatch(
      /^Copied: animals 10001, orders 1, categories 1, keys 1, repeatable requests 0, events [0-9]+, webhooks 0, parked events 0; checksum [0-9a-f]{16}\n$/,
    );
    expect((await runProgram(args)).stdout).toBe(stdout);

    await using original = await RunningProgram.start(urlOf(from), { args: ["--log-level", "off"] });
    await using copy = await RunningProgram.start(urlOf(to), { args: ["--log-level", "off"] });
    for (const path of [
      "/v1/pets?limit=100",
      "/v1/pets?id=10001",
      "/v1/pets?id=10002",
      "/v1/pets?id=7",
      "/v1/store/orders",
      "/v1/categories",
    ]) {
      expect((await copy.client.call(path)).text).toBe((await original.client.call(path)).text);
    }
    const created = await copy.client.call("/v1/pets", { key, body: { name: "New", categoryId: 1 } });
    expect(created.json).toMatchObject({ id: 10_004 });
  });
});

test("animals from a version without name search can be found by name after a copy", async () => {
  await using from = await makeDatabase("postgres");
  await using to = await makeDatabase("sqlite");
  const source = await openStore(from.address, { poolSize: 1, onDeath: () => {} });
  await source.close();
  await from.run("INSERT INTO pets (name, category_id, status) VALUES ('Rémy', 7, 'available')");
  expect((await runProgram(["copy", "--from", urlOf(from), "--to", urlOf(to)])).exitCode).toBe(0);
  const store = await openStore(to.address, { poolSize: 1, onDeath: () => {} });
  const { items } = await store.pets.list({ name: "rem" }, { limit: 9 });
  await store.close();
  expect(items).toMatchObject([{ name: "Rémy" }]);
});

test.each<[what: string, sql: string]>([
  ["animals", "UPDATE pets SET name = 'Mine'"],
  ["more animals", "INSERT INTO pets (name, category_id, status) VALUES ('Mine', 1, 'sold')"],
  ["categories", "DELETE FROM pets; INSERT INTO categories (id, name) VALUES (7, 'Mine')"],
  [
    "orders",
    "DELETE FROM pets; INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (1, 'placed', 1, 1)",
  ],
  ["keys", "DELETE FROM pets; INSERT INTO keys (name, scope, hash, created_at) VALUES ('Mine', 'read', x'00', 1)"],
  ["ids whose animals were deleted", "UPDATE sqlite_sequence SET seq = 4 WHERE name = 'pets'"],
])("copy does not overwrite data of another store: %s", async (_, sql) => {
  await using from = await makeDatabase("sqlite");
  await using to = await makeDatabase("sqlite");
  for (const database of [from, to]) {
    const store = await openStore(database.address, { poolSize: 1, onDeath: () => {} });
    if (database === from) {
      await store.categories.put({ id: 7, name: "Dogs" }, undefined);
      await addKey(store);
    }
    await store.close();
    await database.fill(3);
  }
  await from.run("INSERT INTO orders (pet_id, status, created_at, updated_at) VALUES (2, 'placed', 2, 2)");
  await to.run(sql);
  expect(await runProgram(["copy", "--from", urlOf(from), "--to", urlOf(to)])).toMatchObject({
    exitCode: 1,
    stderr: foreignDataMessage,
  });
});

test.each([2, 3])(
  "a copy to a target with animal %d, which has since been deleted from the source, asks for a new target",
  async (id) => {
    await using from = await makeDatabase("sqlite");
    await using to = await makeDatabase("sqlite");
    await (await openStore(from.address, { poolSize: 1, onDeath: () => {} })).close();
    await from.fill(3);
    const args = ["copy", "--from", urlOf(from), "--to", urlOf(to)];
    expect((await runProgram(args)).exitCode).toBe(0);
    await from.run(`DELETE FROM pets WHERE id = ${id}`);
    expect(await runProgram(args)).toEqual({ stdout: "", stderr: foreignDataMessage, exitCode: 1 });
  },
);

const foreignDataMessage =
  "The target database has data that the source does not have. Nothing was changed; choose a new one.\n";

test.each(["from", "to"])(
  "a copy %s a newer but compatible schema is refused before anything is written",
  async (end) => {
    using folder = temporaryFolder();
    const paths = { from: join(folder.path, "from.db"), to: join(folder.path, "to.db") };
    await makeSqliteStore(paths.from, 1);
    const newer = end === "from" ? paths.from : paths.to;
    if (end === "to") await makeSqliteStore(newer);
    {
      using database = new Database(newer);
      database.run("INSERT INTO migrations (version, name, applied_at, oldest_program) VALUES (99, 'x', 0, 1)");
    }
    const files = readdirSync(folder.path);
    const { stderr, exitCode } = await runProgram([
      ...["copy", "--from", `sqlite:${paths.from}`],
      ...["--to", `sqlite:${paths.to}`],
    ]);
    expect(stderr).toStartWith(`animal-store: The schema of the database at --${end} is newer than this program. `);
    expect({ exitCode, files: readdirSync(folder.path) }).toEqual({ exitCode: 2, files });
  },
);

test("copy reports a difference if the target would reuse ids", async () => {
  await using from = await makeDatabase("sqlite");
  await using to = await makeDatabase("sqlite");
  for (const { address } of [from, to]) await (await openStore(address, { poolSize: 1, onDeath: () => {} })).close();
  await from.fill(3);
  await from.run("INSERT INTO keys (name, scope, hash, created_at) VALUES ('Mine', 'read', x'00', 1)");
  await to.run(
    "CREATE TRIGGER stray AFTER INSERT ON keys BEGIN UPDATE sqlite_sequence SET seq = 1 WHERE name = 'pets'; END",
  );
  const { stderr, exitCode } = await runProgram(["copy", "--from", urlOf(from), "--to", urlOf(to)]);
  expect(stderr).toMatch(/^The copy differs: animals 3, .* not animals 3, /);
  expect(exitCode).toBe(1);
});

test("a copy whose target becomes unreachable exits with 3, and can be resumed", async () => {
  await using from = await makeDatabase("sqlite");
  await using to = await makeDatabase("postgres");
  const source = await openStore(from.address, { poolSize: 1, onDeath: () => {} });
  await from.fill(3_000);
  await source.pets.create({ name: "The last words", categoryId: 1, status: "sold" });
  await source.close();
  const target = new URL(urlOf(to));
  using address = await MovableAddress.to(Number(target.port));
  address.cutAfter("The last words");
  target.port = String(address.port);
  const copy = (url: string) => runProgram(["copy", "--from", urlOf(from), "--to", url]);
  expect(await copy(target.href)).toEqual({
    stdout: "",
    stderr: expect.stringMatching(
      /^animal-store: The copy is incomplete: [^\n]+\. Run the same command again to continue it\.\n$/,
    ),
    exitCode: 3,
  });
  expect(await copy(urlOf(to))).toMatchObject({ stdout: expect.stringContaining("animals 3001,"), exitCode: 0 });
});

test("a copy from a database to itself fails with a one-line error and exit code 2", async () => {
  await using database = await makeDatabase("sqlite");
  await (await openStore(database.address, { poolSize: 1, onDeath: () => {} })).close();
  const other = urlOf(database).replace(/([^/]+)$/, "./$1");
  expect(await runProgram(["copy", "--from", urlOf(database), "--to", other])).toEqual(
    failure("--from and --to name the same database."),
  );
});

test("a copy without both databases fails with a one-line error and exit code 2", async () => {
  expect(await runProgram(["copy", "--from", "sqlite:x.db"])).toEqual(
    failure("--from and --to are required: the databases to copy from and to."),
  );
});

async function hasAnimals({ address }: TestDatabase): Promise<boolean> {
  try {
    const store = await openStore(address, { poolSize: 1, onDeath: () => {} });
    const { items } = await store.pets.list({}, { limit: 1, after: 0 });
    await store.close();
    return items.length > 0;
  } catch {
    return false;
  }
}
