import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { allCommands } from "../support/commands.ts";
import { linuxSkipReason, testUnless } from "../support/conditional-test.ts";
import { addKey } from "../support/keys.ts";
import {
  endBySignal,
  failure,
  LineReader,
  programCommand,
  programInShell,
  runCommand,
  runProgram,
  spawn,
  spawnOnTerminal,
} from "../support/program.ts";
import { startService, type TestService } from "../support/service.ts";
import { startSilentServer } from "../support/silent-server.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";
import { webhookOptions } from "../support/webhooks.ts";

const home = temporaryFolder();
const service = await startService({}, "sqlite");
const animals = [
  '{"name": "Rex", "categoryId": 9007199254740993}',
  '{"name": "柴犬 🐕", "categoryId": -9223372036854775808, "status": "pending"}',
  '{"name": "Sir Barksalot of the very long and winding name", "categoryId": 7}',
];
for (const body of animals) await service.client.call("/v1/pets", { body });
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  home[Symbol.dispose]();
});

const environment = (target = service) => ({
  HOME: home.path,
  ANIMAL_STORE_URL: target.client.url.origin,
  ANIMAL_STORE_API_KEY: target.client.key,
});
const run = (args: readonly string[], target = service) => runProgram(args, { environment: environment(target) });
const parseLines = (text: string) => Array.from(text.trim().split("\n"), (line) => JSON.parse(line));
const runOnTerminal = (args: readonly string[], columns = 80, extra: Record<string, string> = {}) =>
  spawnOnTerminal(args, { columns, environment: { ...environment(), ...extra } }).ended();

test("commands print data to a pipe as JSON, one object per line, with exact integers", async () => {
  expect(await run(["pets", "list"])).toEqual({
    stdout:
      '{"id":1,"name":"Rex","categoryId":9007199254740993,"status":"available"}\n' +
      '{"id":2,"name":"柴犬 🐕","categoryId":-9223372036854775808,"status":"pending"}\n' +
      '{"id":3,"name":"Sir Barksalot of the very long and winding name","categoryId":7,"status":"available"}\n',
    stderr: "",
    exitCode: 0,
  });
  const { stdout } = await run(["pets", "list", "--category", "-9223372036854775808"]);
  expect(stdout).toContain('"id":2,');
  expect(stdout.split("\n")).toHaveLength(2);
});

test("commands print data on a terminal as a table that fits the width of the terminal", async () => {
  expect(await runOnTerminal(["pets", "list"], 60, { NO_COLOR: "1" })).toEqual({
    shown:
      "ID  NAME                     CATEGORY              STATUS\n" +
      "1   Rex                      9007199254740993      available\n" +
      "2   柴犬 🐕                  -9223372036854775808  pending\n" +
      "3   Sir Barksalot of the v…  7                     available\n",
    exitCode: 0,
  });
});

test("a single animal is printed on a terminal as a list of its fields", async () => {
  const { shown } = await runOnTerminal(["pets", "get", "1"], 80, { NO_COLOR: "1" });
  expect(shown).toBe("ID        1\nNAME      Rex\nCATEGORY  9007199254740993\nSTATUS    available\n");
});

test("commands print colours on a terminal, but not with NO_COLOR, on a dumb terminal, or in JSON", async () => {
  const sequence = "\x1b[";
  expect((await runOnTerminal(["pets", "list"])).shown).toContain(`${sequence}32mavailable${sequence}0m`);
  for (const extra of [{ NO_COLOR: "1" }, { TERM: "dumb" }]) {
    expect((await runOnTerminal(["pets", "list"], 80, extra)).shown).not.toContain(sequence);
  }
  const { shown } = await runOnTerminal(["pets", "list", "--json"]);
  expect(shown).not.toContain(sequence);
  expect(JSON.parse(shown.split("\n")[0] ?? "")).toMatchObject({ id: 1, name: "Rex" });
});

test('an empty list shows "There are none." on a terminal, and prints nothing to a pipe', async () => {
  expect((await runOnTerminal(["orders", "list"])).shown).toBe("There are none.\n");
  expect(await run(["orders", "list"])).toEqual({ stdout: "", stderr: "", exitCode: 0 });
});

test("control characters in the response of another program do not reach the terminal", async () => {
  const hostile = "\x1b]0;owned\x07 \x9b2J \u202e";
  using stranger = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: ({ headers }) => {
      if (headers.get("Accept")?.includes("event-stream")) {
        const event = { timestamp: hostile, type: hostile, subject: hostile, actor: { name: hostile } };
        return new Response(`id: 1\ndata: ${JSON.stringify(event)}\n\n`, {
          headers: { "Content-Type": "text/event-stream" },
        });
      }
      return Response.json({ code: "BadRequest", detail: hostile, status: 400 }, { status: 400 });
    },
  });
  const address = { ANIMAL_STORE_URL: stranger.url.origin };
  expect(await runProgram(["pets", "list"], { environment: { ...environment(), ...address } })).toMatchObject({
    stderr: "animal-store: \\u001b]0;owned\\u0007 \\u009b2J \\u202e\n",
    exitCode: 1,
  });
  const tail = spawnOnTerminal(["events", "tail", "--from", "beginning"], {
    columns: 200,
    environment: { ...environment(), ...address, NO_COLOR: "1" },
  });
  await until(() => tail.shown().includes("owned"));
  tail.type("\x03");
  const { shown } = await tail.ended();
  for (const character of hostile.replaceAll(/[ -~]/g, "")) expect(shown).not.toContain(character);
});

test("control characters in a file name do not reach the terminal, and do not start a new line", async () => {
  using folder = temporaryFolder();
  const hostile = "a\n\x1b]0;owned\x07\rb";
  const [shown, path] = ["a\\u000a\\u001b]0;owned\\u0007\\u000db", join(folder.path, hostile)];
  const store = join(folder.path, "animals.db");
  const database = `sqlite:${store}`;
  await makeSqliteStore(store, 1);
  writeFileSync(`${path}.csv`, "name,categoryId\nRex,x\n");
  mkdirSync(`${path}.ndjson`);
  const runs = [
    ["import", `${path}.csv`, "--database", database],
    ["import", `${path}.nothing`, "--format", "csv", "--database", database],
    ["export", `${path}.ndjson`, "--database", database],
    ["export", `${path}-1.csv`, "--database", database],
    ["backup", `${path}.backup`, "--database", database],
    ["restore", `${path}.backup`, "--database", `${database}-2`],
    ["doctor", "--database", database, "--tls-cert", path, "--tls-key", path],
  ];
  for (const args of runs) {
    const { stdout, stderr } = await runProgram(args, { environment: { HOME: folder.path } });
    const text = stdout + stderr;
    expect(text).toContain(shown);
    expect(text.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    expect(text.split("\n").filter((line) => line.startsWith("\\u001b"))).toEqual([]);
    if (args[0] !== "doctor") expect(text.trimEnd().split("\n")).toHaveLength(1);
  }
});

test("stored control characters do not reach the terminal", async () => {
  await using own = await startService({ webhooks: webhookOptions }, "sqlite");
  await own.client.call("/v1/pets", { body: { name: "a\u202eb\u2028c\ufeff", categoryId: 1 } });
  const { shown } = await spawnOnTerminal(["pets", "list"], { environment: environment(own) }).ended();
  expect(shown).toContain("a\\u202eb\\u2028c\\ufeff");
});

describe("a long list", () => {
  const count = 2_500;
  let long: TestService;
  beforeAll(async () => {
    long = await startService({}, "sqlite");
    for (let first = 0; first < count; first += 500) {
      const pets = Array.from({ length: 500 }, (_, index) => ({ name: `Animal ${first + index}`, categoryId: 1 }));
      expect((await long.client.call("/v1/pets:batch", { body: { pets } })).status).toBe(200);
    }
  });
  afterAll(async () => await long[Symbol.asyncDispose]());

  test("a list command fetches all pages of a long list", async () => {
    const { stdout } = await run(["pets", "list"], long);
    const ids = parseLines(stdout).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: count }, (_, index) => index + 1));
  });

  test("a list filtered by name is fetched to its end in the order of the names, and cannot be sorted otherwise", async () => {
    const { stdout } = await run(["pets", "list", "--name", "ÁNIMAL 1"], long);
    const names = parseLines(stdout).map(({ name }) => name);
    const all = Array.from({ length: count }, (_, index) => `Animal ${index}`);
    expect(names).toEqual(all.filter((name) => name.startsWith("Animal 1")).sort());
    expect(await run(["pets", "list", "--name", "a", "--sort", "id"], long)).toMatchObject({
      stderr: expect.stringContaining("sort cannot be combined with name."),
      exitCode: 1,
    });
  });

  test("--limit ends a list even in the middle of a page and in descending order", async () => {
    const { stdout } = await run(["pets", "list", "--limit", "150", "--sort", "-id"], long);
    const ids = parseLines(stdout).map(({ id }) => id);
    expect(ids).toEqual(Array.from({ length: 150 }, (_, index) => count - index));
  });

  test("the first rows determine the widths of a table, and text is truncated only if the terminal is too narrow", async () => {
    const { shown } = await spawnOnTerminal(["pets", "list"], {
      environment: { ...environment(long), NO_COLOR: "1" },
    }).ended();
    const lines = shown.trim().split("\n");
    expect(lines).toHaveLength(count + 1);
    expect(lines[0]).toBe("ID   NAME       CATEGORY  STATUS");
    expect(lines[99]).toBe("99   Animal 98  1         available");
    expect(lines[2_500]).toBe("2500  Animal 2499  1         available");
  });

  test.each([
    ["pets list | head -1", 1],
    ["pets list --json | head -3", 3],
    ["openapi | head -1", 1],
    ["openapi | true", 0],
  ])("a command ends without an error when the program that reads its output ends early: %s", async (line, lines) => {
    const [own = "", reader = ""] = line.split("|");
    const script = `{ ${programInShell} ${own}; echo "exit code $?" >&2; } | ${reader}`;
    const { stdout, stderr } = await runCommand(["sh", "-c", script], {
      env: { ...process.env, ...environment(long) },
    });
    expect(stdout.split("\n").filter(Boolean)).toHaveLength(lines);
    expect(stderr).toBe("exit code 0\n");
  });
});

testUnless(
  linuxSkipReason("/dev/full"),
  "a command that cannot write to standard output prints one line, which says what was changed",
  async () => {
    await using own = await startService({ webhooks: webhookOptions }, "sqlite");
    const url = ["--url", own.client.url.origin];
    const cases = [
      ["pets list", /^animal-store: /],
      ["pets delete 1 --json", /^animal-store: .* The command was carried out\.\n$/],
      [
        "keys create --name me",
        /\nanimal-store: .* Key 1 was created\. Revoke it with animal-store keys revoke 1, and /,
      ],
      [
        "keys rotate 1",
        /\nanimal-store: .* Key 2 replaces key 1\. .* with animal-store keys rotate 2 --overlap 0\.\n$/,
      ],
      [
        "webhooks create --to https://127.0.0.1:1/",
        /^animal-store: .* Webhook 1 was created\. .* webhooks rotate 1 --overl/,
      ],
      ["webhooks rotate 1", /^animal-store: .* Webhook 1 has a new secret\. .* animal-store webhooks rotate 1: /],
    ] as const;
    await own.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
    for (const [command, complaint] of cases) {
      const child = Bun.spawn([...programCommand, ...command.split(" "), ...url], {
        env: { ...process.env, ...environment(own) },
        stdout: Bun.file("/dev/full"),
        stderr: "pipe",
      });
      const [stderr, exitCode] = await Promise.all([child.stderr.text(), child.exited]);
      expect([command, exitCode]).toEqual([command, 1]);
      expect(stderr).toMatch(complaint);
      expect(stderr).toMatch(/Standard output cannot be written to: ENOSPC[^\n]*\n$/);
    }
  },
);

test("keys create fails if the key cannot be printed", async () => {
  using folder = temporaryFolder();
  const pipe = join(folder.path, "pipe");
  expect(await Bun.spawn(["mkfifo", pipe]).exited).toBe(0);
  const command = `${programInShell} keys create --name me --url ${service.client.url.origin}`;
  const script = `exec 3<> ${pipe} 4> ${pipe} 3<&-; ${command} >&4; echo "exit code $?"`;
  const { stdout, stderr } = await runCommand(["sh", "-c", script], { env: { ...process.env, ...environment() } });
  expect(stdout).toBe("exit code 1\n");
  expect(stderr).toMatch(/\nanimal-store: .* EPIPE.* Key \d+ was created\. Revoke it /);
});

test.each([
  [["pets", "get", "99"], 1, /^animal-store: No animal has the id 99\. \(request [0-9a-f-]{36}\)\n$/],
  [["pets", "update", "1", "--status", "sold"], 1, /^animal-store: Animal 1 is available\. .* \(request \S+\)\n$/],
  [["pets", "add", "--name", "\u200b", "--category", "1"], 1, /^animal-store: .*name.* \(request \S+\)\n$/],
  [["pets", "delete", "99"], 1, /^animal-store: No animal has the id 99\. \(request \S+\)\n$/],
  [["orders", "place", "2"], 1, /^animal-store: Animal 2 cannot be ordered .* \(request \S+\)\n$/],
  [["orders", "complete", "9"], 1, /^animal-store: No order has the id 9\. \(request \S+\)\n$/],
  [["categories", "get", "1"], 1, /^animal-store: No category has the id 1\. \(request \S+\)\n$/],
  [["events", "list", "--from", "x"], 1, /^animal-store: cursor must be .* \(request \S+\)\n$/],
  [["events", "tail", "--type", "x"], 1, /^animal-store: type must be .* \(request \S+\)\n$/],
  [["webhooks", "get", "1"], 1, /^animal-store: .* \(request \S+\)\n$/],
  [["pets", "list", "--key", "wrong"], 1, /^animal-store: The API key is not valid\. .* \(request \S+\)\n$/],
  [
    ["pets", "list", "--url", "http://127.0.0.1:1"],
    3,
    /^animal-store: http:\/\/127\.0\.0\.1:1: The service could not be reached/,
  ],
  [["pets", "add"], 2, /^animal-store: --name is required: .*\.\nanimal-store: --category is required: .*\.\n$/],
  [["pets", "add", "--name", "--category", "1"], 2, /^animal-store: --name needs a value\.\n$/],
  [["pets", "get"], 2, /^animal-store: pets get must be followed by the id of an animal, as pets list shows it\.\n$/],
  [
    ["pets", "get", "9223372036854775808"],
    2,
    /^animal-store: pets get must be followed by .*, not "9223372036854775808"\.\n$/,
  ],
  [["pets", "list", "--status", "lost"], 2, /^animal-store: --status must be one or more of .*, not "lost"\.\n$/],
  [["pets", "list", "--limit", "0"], 2, /^animal-store: --limit must be an integer from 1 to 999999999, not "0"\.\n$/],
  [["pets", "list", "--json=yes"], 2, /^animal-store: --json takes no value\.\n$/],
  [["categories", "name", "1"], 2, /^animal-store: categories name must be followed by an id and a name\.\n$/],
  [["webhooks", "create"], 2, /^animal-store: --to is required: .*\n$/],
  [["webhooks", "listen"], 2, /^animal-store: --forward-to is required: .*\n$/],
  [["webhooks", "listen", "--forward-to", "x"], 2, /^animal-store: --forward-to must be an http or https URL.*\n$/],
  [["webhooks", "replay", "1"], 2, /^animal-store: --from is required: .*\n$/],
  [
    ["keys", "list", "--url", "http://127.0.0.1:1", "--database", "sqlite:x"],
    2,
    /^animal-store: --database cannot be combined with --url .*\n$/,
  ],
  [["completion"], 2, /^animal-store: completion must be followed by bash, zsh or fish\.\n$/],
] as const)("the arguments %j fail with one line for each problem", async (args, exitCode, line) => {
  const { stdout, stderr, exitCode: code } = await run(args);
  expect({ stdout, code }).toEqual({ stdout: "", code: exitCode });
  expect(stderr).toMatch(line);
});

test.each([
  [["pest", "list"], 'Unknown command "pest". Did you mean pets?'],
  [["pets", "lsit"], 'Unknown command "pets lsit". Did you mean pets list?'],
  [["pets", "list", "--stauts", "sold"], "--stauts is unknown. Did you mean --status?"],
  [["servve"], 'Unknown command "servve". Did you mean serve?'],
  [["pets"], "pets must be followed by a command; animal-store pets --help lists the commands."],
])("the mistyped command %j causes a suggestion", async (args, line) => {
  expect(await run(args)).toEqual(failure(line));
});

test.each([
  ["store:s3cret@db.internal/store", "...@db.internal/store"],
  ["postgres:/store:s3cret@db.internal/store", "postgres:/...@db.internal/store"],
  ["//store:s3cret@db.internal/store", "//...@db.internal/store"],
  ["mysql://store:s3cret 1@s3cret/s3cret\ns3cret@db.internal/store", "mysql://...@db.internal/store"],
  ["postgres://store:12/s3cret@db.internal/store", "postgres://...@db.internal/store"],
  ["mysql://db.internal/store?password=s3cret s3cret&a=b", "mysql://db.internal/store?password=...&a=b"],
  ["mysql://db.internal/store?password=a@s3cret&a=b", "mysql://...@...&a=b"],
  ["host=db.internal password='s3cret s3cret'", "host=db.internal password=..."],
])("the error about the invalid database address %j contains no part of the password", async (address, shown) => {
  const { stderr, exitCode } = await runProgram(["keys", "list"], { environment: { DATABASE_URL: address } });
  expect({ stderr, exitCode }).toEqual({
    stderr: expect.stringMatching(/^animal-store: DATABASE_URL must be [^\n]+\n$/),
    exitCode: 2,
  });
  expect(stderr).toContain(`, not ${JSON.stringify(shown)}.`);
});

test("if a write gets no response, the error says that the write may have been carried out", async () => {
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: (socket) => void socket.end() } });
  const { stderr, exitCode } = await run(["pets", "delete", "1", "--url", `http://127.0.0.1:${silent.port}`]);
  expect(exitCode).toBe(3);
  expect(stderr).toEndWith(" It is not known whether the request was carried out.\n");
});

test.each(allCommands)("%s refuses an unknown flag or argument with a one-line error", async (path, { operands }) => {
  const args = Object.values(operands).map(({ choices }) => choices?.[0] ?? "1");
  expect(await run([...path.split(" "), ...args, "--frobnicate"])).toEqual({
    stdout: "",
    stderr: expect.stringMatching(/^animal-store: --frobnicate is unknown; see --help\.\n/),
    exitCode: 2,
  });
  expect(await run([...path.split(" "), ...args, "too", "much"])).toMatchObject({
    stdout: "",
    stderr: expect.stringContaining('does not take "too much".\n'),
    exitCode: 2,
  });
});

test("a repeated command with an idempotency key is carried out once", async () => {
  await using own = await startService({ webhooks: webhookOptions }, "sqlite");
  const add = () => run(["pets", "add", "--name", "Rex", "--category", "1", "--idempotency-key", "mine"], own);
  expect(await add()).toEqual(await add());
  expect((await run(["inventory"], own)).stdout).toBe('{"available":1,"pending":0,"sold":0}\n');
});

test("pets create is an alias of pets add", async () => {
  await using own = await startService({}, "sqlite");
  const { stdout } = await run(["pets", "create", "--name", "Rex", "--category", "1"], own);
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, name: "Rex" });
  expect(await run(["pets", "create", "--help"], own)).toEqual(await run(["pets", "add", "--help"], own));
});

test("words after -- are positional arguments, even if the words look like flags", async () => {
  await using own = await startService({ webhooks: webhookOptions }, "sqlite");
  expect((await run(["categories", "name", "--json", "--", "-7", "--name"], own)).stdout).toBe(
    '{"id":-7,"name":"--name"}\n',
  );
});

test("with --url, the keys commands manage the keys of a running service", async () => {
  await using own = await startService({ webhooks: webhookOptions }, "sqlite");
  const { key: admin } = await addKey(own.store, { name: "owner", scope: "admin" });
  const keys = (...args: string[]) =>
    runProgram(["keys", ...args, "--url", own.client.url.origin, "--key", admin], {
      environment: { HOME: home.path, DATABASE_URL: `sqlite:${join(home.path, "none.db")}` },
    });
  const createResult = await keys("create", "--name", "till 1", "--scope", "write", "--expires", "2031-01-31");
  expect(createResult).toEqual({
    stdout: expect.stringMatching(/^ask_\w{36}\n$/),
    stderr: "Created key 2: till 1, scope write, expires 2031-01-31 00:00 UTC. It is shown only once:\n",
    exitCode: 0,
  });
  const rotated = await keys("rotate", "2", "--overlap", "0");
  expect(rotated.stderr).toStartWith("Key 3 replaces key 2, which no longer works: till 1");
  expect((await own.client.call("/v1/pets", { key: rotated.stdout.trim() })).status).toBe(200);
  expect((await keys("revoke", "3")).stderr).toStartWith("Key 3 (till 1) no longer works");
  const { stdout } = await keys("list");
  const states = parseLines(stdout).map(({ state }) => state);
  expect(states).toEqual(["active", "expired", "revoked"]);
  expect(await keys("revoke", "9")).toMatchObject({ exitCode: 1 });
});

test("Ctrl-C ends a list command with exit code 130", async () => {
  using silent = startSilentServer();
  const listing = spawnOnTerminal(["pets", "list", "--url", silent.origin, "--key", "x"], {
    environment: { HOME: home.path },
  });
  await silent.requested;
  listing.type("\x03");
  expect((await listing.ended()).exitCode).toBe(130);
  using another = startSilentServer();
  const child = spawn(["pets", "list", "--url", another.origin, "--key", "x"], { environment: { HOME: home.path } });
  await another.requested;
  expect(await endBySignal(child, "SIGINT")).toBe(130);
});

test("help can be requested in several forms, and as JSON", async () => {
  const { stdout } = await run(["pets", "get", "--help"]);
  expect(await run(["help", "pets", "get"])).toEqual({ stdout, stderr: "", exitCode: 0 });
  expect(JSON.parse((await run(["help", "pets", "get", "--json"])).stdout)).toEqual({
    command: "pets get",
    help: stdout.trimEnd(),
  });
  expect(JSON.parse((await run(["--json"])).stdout).commands[0]).toEqual({
    name: "serve",
    summary: "Start the service.",
  });
  const printed = await run(["--version"]);
  for (const word of ["version", "-v"]) expect(await run([word])).toEqual(printed);
  expect(JSON.parse((await run(["version", "--json"])).stdout)).toHaveProperty("version");
  expect((await run(["pets", "--help"])).stdout).toContain("  get ID ");
});

test("serve --json prints the URL of the service and the first key", async () => {
  using folder = temporaryFolder();
  const child = spawn(["serve", "--port", "0", "--json", "--database", `sqlite:${join(folder.path, "a.db")}`], {
    environment: { HOME: folder.path },
  });
  const { url, firstKey } = JSON.parse(await new LineReader(child.stdout).until(/./));
  const listed = await runProgram(["keys", "current", "--url", url, "--key", firstKey], {
    environment: { HOME: folder.path },
  });
  expect(JSON.parse(listed.stdout)).toMatchObject({ name: "first", scope: "admin" });
  expect(await endBySignal(child, "SIGTERM")).toBe(0);
});
