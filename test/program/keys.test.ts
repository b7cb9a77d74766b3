import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { Client } from "../support/client.ts";
import { makeDatabase, sharedPostgres, urlOf } from "../support/database.ts";
import { failure, RunningProgram, runProgram } from "../support/program.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";

async function makeStore() {
  const folder = temporaryFolder();
  const path = await makeSqliteStore(join(folder.path, "animals.db"));
  const keys = (...args: string[]) => runProgram(["keys", ...args, "--database", `sqlite:${path}`]);
  return { path, keys, [Symbol.dispose]: folder[Symbol.dispose] };
}

const it = testWith(makeStore);

it("keys create prints the key alone on standard output, and its description on standard error", async ({ keys }) => {
  const created = await keys("create", "--name", "till 1", "--scope", "write", "--expires", "2031-01-31");
  expect(created.exitCode).toBe(0);
  expect(created.stdout).toMatch(/^ask_[0-9A-Za-z]{36}\n$/);
  expect(created.stderr).toBe(
    "Created key 1: till 1, scope write, expires 2031-01-31 00:00 UTC. It is shown only once:\n",
  );
});

it("keys list shows every key without its secret", async ({ keys }) => {
  const { stdout: key } = await keys("create", "--name", "till");
  await keys("create", "--name", "office", "--scope", "admin", "--expires", "90d");
  await keys("revoke", "1");
  await keys("rotate", "2");
  const { stdout, exitCode } = await keys("list");
  expect(exitCode).toBe(0);
  expect(parseLines(stdout)).toMatchObject([
    { id: 1, name: "till", scope: "read", state: "revoked", line: 1, expiresAt: null },
    { id: 2, name: "office", scope: "admin", state: "retiring", line: 2 },
    { id: 3, name: "office", scope: "admin", state: "active", line: 2 },
  ]);
  expect(stdout).not.toContain(key.trim());
});

it("keys commands work while a service is running, and the service applies the changes", async ({ path, keys }) => {
  await using program = await RunningProgram.start(path);
  const key = (await keys("create", "--name", "till", "--scope", "write")).stdout.trim();
  expect((await program.client.call("/v1/pets", { key, body: { name: "Rex", categoryId: 1 } })).status).toBe(201);

  const rotated = await keys("rotate", "1", "--overlap", "1h");
  expect(rotated.exitCode).toBe(0);
  expect(rotated.stderr).toMatch(/^Key 2 replaces key 1, which works until 20[-0-9]+ [0-9:]+ UTC:/);
  const successor = rotated.stdout.trim();
  for (const one of [key, successor]) expect((await program.client.call("/v1/pets", { key: one })).status).toBe(200);

  expect((await keys("revoke", "1")).exitCode).toBe(0);
  await untilRefused(program.client, key);
  const last = await keys("rotate", "2", "--overlap", "0");
  expect(last.stderr).toContain("Key 3 replaces key 2, which no longer works");
  await untilRefused(program.client, successor);
  expect((await program.client.call("/v1/pets", { key: last.stdout.trim() })).status).toBe(200);
});

it("a stopping service saves when keys were last used", async ({ path, keys }) => {
  const key = (await keys("create", "--name", "till")).stdout.trim();
  await using program = await RunningProgram.start(path);
  await program.client.call("/v1/pets", { key });
  await program.signal("SIGTERM");
  const [used] = parseLines((await keys("list")).stdout);
  expect(used?.["lastUsedAt"]).toStartWith(new Date().toISOString().slice(0, 10));
});

test.each([
  [["create"], 2, "animal-store: --name is required: who or what the key is for.\n"],
  [
    ["create", "--name", "x", "--scope", "all"],
    2,
    'animal-store: --scope must be one of read, write, admin, not "all".\n',
  ],
  [
    ["create", "--name", "x", "--expires", "2001-01-01"],
    2,
    'animal-store: --expires must be a duration such as 90d, 12h or 30m, or a future date such as 2031-01-31, not "2001-01-01".\n',
  ],
  ...[
    [" ", '" "'],
    ["\u200b\u2060", '"\\u200b\\u2060"'],
    ["\u2800", '"\u2800"'],
    ["a\tb", '"a\\tb"'],
  ].map(([name = "", shown]): [string[], number, string] => [
    ["create", "--name", name],
    2,
    `animal-store: --name must be 1 to 100 characters, at least one of them visible and none of them a control character, not ${shown}.\n`,
  ]),
  [["rotate"], 2, "animal-store: keys rotate must be followed by the id of a key, as keys list shows it.\n"],
  [
    ["rotate", "1", "--overlap", "soon"],
    2,
    'animal-store: --overlap must be a duration such as 24h, 7d or 0, not "soon".\n',
  ],
  [
    ["revoke", "x"],
    2,
    'animal-store: keys revoke must be followed by the id of a key, as keys list shows it, not "x".\n',
  ],
  [["revoke", "9"], 1, "animal-store: No key has the id 9.\n"],
  [["rotate", "9"], 1, "animal-store: No key has the id 9.\n"],
  [["create", "--name", "till", "1"], 2, 'animal-store: keys create does not take "1".\n'],
  [["list", "all", "of", "them"], 2, 'animal-store: keys list does not take "all of them".\n'],
  [["revoke", "1", "2"], 2, 'animal-store: keys revoke 1 does not take "2".\n'],
  [["frob"], 2, 'animal-store: Unknown command "keys frob"; animal-store keys --help lists the commands.\n'],
])("keys %j fails with a one-line error", async (args, exitCode, stderr) => {
  using store = await makeStore();
  const { keys } = store;
  await keys("create", "--name", "there is one");
  expect(await keys(...args)).toEqual({ stdout: "", stderr, exitCode });
});

it("keys commands on a database can expire and revoke even the last admin key", async ({ keys }) => {
  await keys("create", "--name", "owner", "--scope", "admin");
  expect((await keys("rotate", "1", "--overlap", "0", "--expires", "1h")).exitCode).toBe(0);
  expect((await keys("revoke", "2")).exitCode).toBe(0);
  expect((await keys("create", "--name", "owner", "--scope", "admin")).exitCode).toBe(0);
});

it("keys create accepts the same names as the API", async ({ path, keys }) => {
  await using program = await RunningProgram.start(path);
  const verdicts: [boolean, boolean][] = [];
  for (const name of ["x".repeat(100), "x".repeat(101), "🐕".repeat(100), " ", "\u200b", "a\tb", " till ", "\u202e"]) {
    const { status } = await program.client.call("/v1/keys", { body: { name, scope: "read" } });
    verdicts.push([status === 201, (await keys("create", `--name=${name}`)).exitCode === 0]);
  }
  for (const [overHttp, byCommand] of verdicts) expect(byCommand).toBe(overHttp);
  expect(new Set(verdicts.flat()).size).toBe(2);
});

it("a key can be rotated only once, and its successor has the same lifetime", async ({ keys }) => {
  await keys("create", "--name", "forever");
  expect((await keys("rotate", "1")).stderr).toContain("never expires");
  expect(await keys("rotate", "1")).toEqual(failure("Key 1 is retiring. Rotate its successor.", 1));
  expect((await keys("rotate", "2")).stderr).toContain("never expires");
});

it("concurrent keys create commands succeed", async ({ keys }) => {
  const created = await Promise.all(Array.from({ length: 6 }, (_, index) => keys("create", "--name", `key ${index}`)));
  expect(created.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0, 0, 0]);
  expect(parseLines((await keys("list")).stdout)).toHaveLength(6);
});

it("keys list works while another program writes", async ({ path, keys }) => {
  await keys("create", "--name", "till");
  using other = new Database(path);
  other.run("BEGIN IMMEDIATE");
  expect((await keys("list")).stdout).toContain("till");
});

test.each([
  [["create", "--name", "me", "--scope", "admin"]],
  [["create"]],
  [["list"]],
  [["rotate", "1"]],
  [["revoke", "1"]],
])("keys %j creates neither a missing store nor a folder", async (args) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "data/animals.db");
  const { exitCode, stdout, stderr } = await runProgram(["keys", ...args, "--database", `sqlite:${path}`]);
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
  if (args.length > 1) {
    expect(stderr).toBe(
      `animal-store: ${path} does not exist. Name an existing store; only serve, restore and copy --to create a new one.\n`,
    );
  }
  expect(readdirSync(folder.path)).toEqual([]);
});

test("keys create refuses an empty file, which stays empty", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  writeFileSync(path, "");
  expect(await runProgram(["keys", "create", "--name", "me", "--database", `sqlite:${path}`])).toMatchObject({
    exitCode: 2,
    stderr: `animal-store: ${path} is empty. Name an existing store; only serve, restore and copy --to create a new one.\n`,
  });
  expect(readdirSync(folder.path)).toEqual(["animals.db"]);
  expect(Bun.file(path).size).toBe(0);
});

test("keys create creates no schema in a PostgreSQL database without a store", async () => {
  await using database = await makeDatabase("postgres");
  const { schema } = database.address as { schema: string };
  const keys = (...args: string[]) => runProgram(["keys", ...args, "--database", urlOf(database)]);
  for (const args of [["create", "--name", "me"], ["list"]]) {
    expect(await keys(...args)).toEqual(
      failure(
        `The PostgreSQL database has no store in its schema ${schema}. Name an existing store; only serve, migrate and copy --to create a new one.`,
      ),
    );
  }
  const sql = new SQL({ url: (await sharedPostgres()).url, max: 1 });
  expect(await sql`SELECT 1 FROM pg_namespace WHERE nspname = ${schema}`).toHaveLength(0);
  await sql.close();
  expect((await runProgram(["migrate", "--database", urlOf(database)])).exitCode).toBe(0);
  expect((await keys("create", "--name", "me")).exitCode).toBe(0);
});

test("the log shows the client address of a request with a revoked key", async () => {
  await using program = await RunningProgram.startNew();
  const keys = (command: string) => runProgram(["keys", ...command.split(" "), "--database", `sqlite:${program.path}`]);
  const { stdout } = await keys("create --name till --scope read");
  await keys("revoke 1");
  expect((await program.client.call("/v1/pets", { key: stdout.trim() })).status).toBe(401);
  expect(await program.signal("SIGTERM")).toBe(0);
  const requests = (await program.readLog()).filter(({ path }) => path === "/v1/pets");
  expect(requests).toMatchObject([{ status: 401, client: "127.0.0.1" }]);
});

function parseLines(text: string): Record<string, unknown>[] {
  return Array.from(text.split("\n").filter(Boolean), (line) => JSON.parse(line));
}

/** Repeats a request until the key is refused. Another test checks the maximum delay with a settable clock. */
async function untilRefused(client: Client, key: string): Promise<void> {
  await until(async () => (await client.call("/v1/pets", { key })).status === 401);
}
