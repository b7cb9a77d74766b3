import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pages } from "../../dist/pages.ts";
import { fillDatabase } from "../support/animals.ts";
import { Client } from "../support/client.ts";
import { curlSkipReason, linuxSkipReason, testUnless } from "../support/conditional-test.ts";
import {
  failure,
  LineReader,
  programCommand,
  programInShell,
  programKey,
  projectFolder,
  RunningProgram,
  runProgram,
  spawnOnTerminal,
} from "../support/program.ts";
import { RawConnection } from "../support/raw.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";

const it = testWith(() => RunningProgram.startNew());

testUnless(
  curlSkipReason(),
  "the first start prints an admin key once, with curl commands that work when pasted",
  async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "data/animals.db");
    await using first = await RunningProgram.start(path, { environment: { ANIMAL_STORE_API_KEY: undefined } });
    const notice = await first.stdout.until(/curl .*\/v1\/pets -H 'Authorization: Bearer ask_\w{36}'$/);
    const commands = notice.split("\n").filter((line) => line.includes("curl "));
    expect(commands).toHaveLength(2);
    const [added, listed] = await Promise.all(commands.map((command) => Bun.$`sh -c ${command}`.quiet().text()));
    expect(added).toBe('{"id":1,"name":"Rex","categoryId":7,"status":"available"}');
    expect(["[]", `[${added}]`]).toContain(listed as string);
    const changed = commands[0]?.replace("Rex", "Bella");
    expect(await Bun.$`sh -c ${changed}`.quiet().text()).toBe(
      added?.replace("1", "2").replace("Rex", "Bella") as string,
    );
    const [key = ""] = /ask_\w{36}/.exec(notice) ?? [];
    const client = new Client(first.client.url, key);
    expect((await client.call("/v1/pets", { body: { name: "Mia", categoryId: 1 } })).status).toBe(201);
    expect(await first.signal("SIGTERM")).toBe(0);

    await using second = await RunningProgram.start(path, { environment: { ANIMAL_STORE_API_KEY: undefined } });
    expect((await new Client(second.client.url, key).call("/v1/pets")).json).toHaveLength(3);
    second.child.kill("SIGTERM");
    expect(await second.stdout.until(/never/)).toBe("");
    expect(Bun.file(path).size).toBeGreaterThan(0);
  },
);

it("the first start creates no key if a key is configured", async (program) => {
  expect((await program.client.call("/v1/pets")).status).toBe(200);
  expect(await program.signal("SIGTERM")).toBe(0);
  expect(await program.stdout.until(/never/)).toBe("");
  const { stdout } = await runProgram(["keys", "list", "--database", `sqlite:${program.path}`]);
  expect(stdout.trim().split("\n")).toHaveLength(1);
});

describe("settings", () => {
  const start = (args: string[], environment = {}) => runProgram(["serve", ...args], { environment });

  const schemaHint = "(with ?schema=NAME, up to 63 lower-case letters, digits and underscores, no digit first)";
  const databaseMessage = `must be sqlite: and the path of a file, such as sqlite:data/animal-store.db, or postgres://user@host/database ${schemaHint}`;
  const rateMessage = "must be a number of requests per second such as 100, or requests/seconds such as 1000/60";
  const publicUrlMessage = "must be an http or https URL whose path ends in /v1";
  const originsMessage =
    "must be one or more origins such as https://shop.example, in lower case and without a path, or * for all";

  test.each([
    ["--port=x", 'must be an integer from 0 to 65535, not "x".'],
    ["--port=65536", 'must be an integer from 0 to 65535, not "65536".'],
    ["PORT=-1", 'must be an integer from 0 to 65535, not "-1".'],
    ["--log-level=loud", 'must be one of debug, info, warn, error, off, not "loud".'],
    ["--slow-request=0", 'must be an integer from 1 to 600000, not "0".'],
    ["SLOW_STATEMENT=1s", 'must be an integer from 1 to 600000, not "1s".'],
    ["--server-timing=yes", 'must be one of on, off, not "yes".'],
    ["--metrics-port=65536", 'must be an integer from 0 to 65535, not "65536".'],
    ["--metrics-host=127.0.0.1", "needs --metrics-port, which was not given."],
    ["LOG_LEVEL=loud", 'must be one of debug, info, warn, error, off, not "loud".'],
    ["--public-url=shop.example", `${publicUrlMessage}, not "shop.example".`],
    ["STAGING_URL=ftp://x/v1", `${publicUrlMessage}, not "ftp://x/v1".`],
    ["PUBLIC_URL=https://me:secret@shop.test/v1", `${publicUrlMessage}, not "https://...@shop.test/v1".`],
    ["--public-url=https://shop.test/?x=/v1", `${publicUrlMessage}, not "https://shop.test/?x=/v1".`],
    ["--staging-url=http://v1", `${publicUrlMessage}, not "http://v1".`],
    ["--database=data.db", `${databaseMessage}, not "data.db".`],
    ["--database=sqlite::memory:", `${databaseMessage}, not "sqlite::memory:".`],
    ["--database=sqlite://data/x.db", `${databaseMessage}, not "sqlite://data/x.db".`],
    ["DATABASE_URL=mysql://me:secret@host/x", `${databaseMessage}, not "mysql://...@host/x".`],
    ["DATABASE_URL=mysql://me:p@ss@host/x", `${databaseMessage}, not "mysql://...@host/x".`],
    ...["Bad-Name", "1st", "", "x".repeat(64)].map((name) => [
      `--database=postgres://me:secret@host/x?schema=${name}`,
      `${databaseMessage}, not "postgres://...@host/x?schema=${name}".`,
    ]),
    [
      "--replica=postgres://one/x postgres://two/x?schema=Bad-Name",
      `must be one or more addresses such as postgres://user@standby/database ${schemaHint}, separated by spaces, not "postgres://one/x postgres://two/x?schema=Bad-Name".`,
    ],
    ["ANIMAL_STORE_API_KEY=too-short", "must be 16 characters or more, without spaces at either end."],
    ...["0", "-1", "10/0", "10/s", "1.5"].map((text) => [`--rate-limit=${text}`, `${rateMessage}, not "${text}".`]),
    ["CORS_ORIGINS=https://shop.test/ https://b.test", `${originsMessage}, not "https://shop.test/ https://b.test".`],
    ["--cors-origin=https://*.shop.test", `${originsMessage}, not "https://*.shop.test".`],
  ])("the setting %s fails with a one-line error and exit code 2", async (given, complaint) => {
    const [, name = "", value] = /^([^=]+)=(.*)$/.exec(given) ?? [];
    const result = name.startsWith("--") ? start([name, value ?? ""]) : start([], { [name]: value });
    expect(await result).toEqual(failure(`${name} ${complaint}`));
  });

  test.each([
    ["--port 9100 --metrics-port 9100", "--metrics-port and --port must differ, but both are 9100."],
    [
      "--trusted-proxy 10.0.0.1 --trusted-proxy proxy.test",
      '--trusted-proxy must be one or more addresses or networks such as 10.0.0.0/8, separated by spaces, not "10.0.0.1 proxy.test".',
    ],
    ["--prot 1", "--prot is unknown. Did you mean --port?"],
    ["--frobnicate", "--frobnicate is unknown; see --help."],
    ["--port", "--port needs a value."],
    ["--port 1 --port 2", "--port must be given only once."],
    ["now", 'serve does not take "now".'],
  ])("serve %s fails with a one-line error and exit code 2", async (words, line) => {
    const result = await start(words.split(" "));
    expect(result).toEqual(failure(line));
  });

  test("settings of limits, proxies and origins take effect", async () => {
    await using program = await RunningProgram.startNew({
      args: [
        ...["--rate-limit", "40/3600", "--anonymous-limit", "2/3600", "--trusted-proxy", "127.0.0.1"],
        ...["--log-level", "off"],
      ],
      environment: { CORS_ORIGINS: "https://one.test https://two.test" },
    });
    const { headers } = await program.client.call("/v1/pets", { headers: { origin: "https://two.test" } });
    expect(headers.get("ratelimit-policy")).toBe('"default";q=40;w=3600');
    expect(headers.get("access-control-allow-origin")).toBe("https://two.test");
    for (let count = 0; count < 21; count++) {
      await program.client.call("/v1/pets", { key: `guess ${count}`, headers: { "x-forwarded-for": "203.0.113.1" } });
    }
    const from = async (address: string) =>
      (await program.client.call("/v1/pets", { key: "a guess", headers: { "x-forwarded-for": address } })).status;
    expect([await from("203.0.113.1"), await from("203.0.113.2")]).toEqual([429, 401]);
    const anonymous = () =>
      program.client.call("/v1/pets", { key: null, headers: { "x-forwarded-for": "203.0.113.3" } });
    expect([(await anonymous()).status, (await anonymous()).status]).toEqual([401, 401]);
    const refused = await anonymous();
    expect([refused.status, Number(refused.headers.get("retry-after")) > 10]).toEqual([429, true]);
  });

  test("the default limit of requests without a key is 1000 in 10 seconds", async () => {
    await using program = await RunningProgram.startNew({ args: ["--log-level", "off"] });
    // Repeats the requests, because 1,000 requests may take longer than the window of the limit on a slow machine.
    let responses = "";
    while (!responses.includes("HTTP/1.1 429")) {
      const request = "GET /robots.txt HTTP/1.1\r\nHost: shop.test\r\n";
      using connection = new RawConnection(program.client.url);
      connection.send(`${`${request}\r\n`.repeat(1_000)}${request}Connection: close\r\n\r\n`);
      responses += await connection.untilClosed();
    }
    const [before = "", refused = ""] = responses.split("HTTP/1.1 429", 2);
    expect(before.match(/HTTP\/1\.1 200/g)?.length).toBeGreaterThanOrEqual(1_000);
    expect(Number(/retry-after: (\d+)/i.exec(refused)?.[1])).toBeLessThanOrEqual(10);
  });

  test("serve reports all wrong settings together", async () => {
    const { stderr } = await start(["now", "--port", "x", "--log-level", "y"], { PUBLIC_URL: "z" });
    expect(stderr.trim().split("\n")).toHaveLength(4);
  });

  test("serve on a taken port fails with a one-line error and exit code 2, and creates no key", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "animals.db");
    using taken = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    const { exitCode, stdout, stderr } = await start(["--port", String(taken.port), "--database", `sqlite:${path}`]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toBe(
      `animal-store: --port ${taken.port} cannot be used on --host 127.0.0.1: it is already in use.\n`,
    );
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  test("serve does not share a port with another instance", async () => {
    using folder = temporaryFolder();
    await using program = await RunningProgram.start(join(folder.path, "animals.db"), { args: ["--log-level", "off"] });
    const { port } = program.client.url;
    expect(await start(["--port", port, "--database", `sqlite:${join(folder.path, "other.db")}`])).toMatchObject({
      exitCode: 2,
      stderr: `animal-store: --port ${port} cannot be used on --host 127.0.0.1: it is already in use.\n`,
    });
  });

  test("serve on an unknown host fails with a one-line error and exit code 2", async () => {
    using folder = temporaryFolder();
    const database = `sqlite:${join(folder.path, "animals.db")}`;
    expect(await start(["--port", "0", "--host", "nowhere.invalid", "--database", database])).toEqual(
      failure("--port 0 cannot be used on --host nowhere.invalid: there is no such host."),
    );
  });

  test("serve on a file that is not a database fails with a one-line error and exit code 2", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "animals.db");
    writeFileSync(path, "not a database");
    const { exitCode, stdout, stderr } = await start(["--port", "0", "--database", `sqlite:${path}`]);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
    expect(stderr).toBe(
      `animal-store: ${path} is not an animal-store database. Choose another file, or one that does not exist yet.\n`,
    );
    expect(await Bun.file(path).text()).toBe("not a database");
  });

  test("serve with stale HTML pages fails with a one-line error and exit code 2", async () => {
    using folder = temporaryFolder();
    for (const part of ["src", "packages/client/src", "package.json"])
      cpSync(join(projectFolder, part), join(folder.path, part), { recursive: true });
    symlinkSync(join(projectFolder, "node_modules"), join(folder.path, "node_modules"));
    mkdirSync(join(folder.path, "dist"));
    const files = Object.entries(pages).filter(([path]) => !path.includes("/icon-"));
    writeFileSync(
      join(folder.path, "dist/pages.ts"),
      `export const pages = ${JSON.stringify(Object.fromEntries(files))};`,
    );
    const options = { main: join(folder.path, "src/main.ts") };
    const args = ["--database", `sqlite:${join(folder.path, "animals.db")}`];
    expect(await runProgram(["serve", "--port", "0", ...args], options)).toEqual(
      failure(
        "The pages in dist/ are stale: they were built from other sources, and lack icon.svg. Run npm run build.",
      ),
    );
    expect(existsSync(join(folder.path, "animals.db"))).toBe(false);
    const examined = await runProgram(["doctor", ...args], options);
    expect(examined.stdout).toMatch(/console.* pages in dist\/ are stale.*Run npm run build/s);
  });

  test("serve reads settings from the environment, and flags override them", async () => {
    using folder = temporaryFolder();
    await using program = await RunningProgram.start(join(folder.path, "flag.db"), {
      environment: { PORT: "1", DATABASE_URL: `sqlite:${join(folder.path, "environment.db")}`, HOST: "127.0.0.1" },
    });
    expect((await program.client.call("/readyz")).status).toBe(200);
    expect(existsSync(join(folder.path, "flag.db"))).toBe(true);
    expect(existsSync(join(folder.path, "environment.db"))).toBe(false);
  });

  test("the public and the staging URL appear in the OpenAPI document, and the public URL in links", async () => {
    await using program = await RunningProgram.startNew({
      args: ["--public-url", "https://shop.test/animals/v1"],
      environment: { STAGING_URL: "https://staging.shop.test/v1" },
    });
    const { json } = await program.client.call("/v1/openapi.json");
    expect((json as { servers: unknown }).servers).toEqual([
      { url: "https://shop.test/animals/v1", description: "Production" },
      { url: "https://staging.shop.test/v1", description: "Staging" },
    ]);
    const created = await program.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    expect(created.headers.get("location")).toBe("/animals/v1/pets/1");
    const list = await program.client.call("/v1/pets");
    expect(list.headers.get("link")).toContain("</animals/v1/pets>");
  });
});

test.each([[[]], [["--help"]], [["-h"]], [["help"]]])(
  "the program with the arguments %j lists its commands",
  async (args) => {
    const { stdout, exitCode } = await runProgram(args);
    expect(exitCode).toBe(0);
    for (const command of ["serve", "keys", "migrate", "copy", "openapi"]) expect(stdout).toContain(`  ${command} `);
  },
);

test.each([
  [
    "serve",
    [
      "--port NUMBER, PORT",
      "--host NAME, HOST",
      "--database URL, DATABASE_URL",
      "ANIMAL_STORE_API_KEY",
      "--public-url",
      "--staging-url",
      "--log-level",
      "Default: 8080",
    ],
  ],
  ["keys", ["create --name TEXT ", "list ", "rotate ID ", "revoke ID ", "current "]],
  ["keys rotate", ["keys rotate ID [settings]", "--expires", "--overlap", "--database"]],
  ["openapi", ["Print the OpenAPI document"]],
])("the help of %s lists its settings", async (command, parts) => {
  const { stdout, exitCode } = await runProgram([...command.split(" "), "--help"]);
  expect(exitCode).toBe(0);
  for (const part of parts) expect(stdout).toContain(part);
});

test("an unknown command fails with a one-line error and exit code 2", async () => {
  expect(await runProgram(["frob"])).toEqual({
    stdout: "",
    stderr: 'animal-store: Unknown command "frob"; animal-store --help lists the commands.\n',
    exitCode: 2,
  });
});

test("--version prints the version of the package, with the commit and its date if known", async () => {
  const { version } = await Bun.file(join(projectFolder, "package.json")).json();
  const { stdout } = await runProgram(["--version"]);
  const git = spawnSync("git", ["rev-parse", "--short=12", "HEAD"], { cwd: projectFolder, encoding: "utf8" });
  const commit = programCommand.length === 1 ? "[0-9a-f]{12}" : git.stdout?.trim();
  const known = git.status === 0 ? ` \\(commit ${commit}\\+?, \\d{4}-\\d\\d-\\d\\d\\)` : "";
  expect(stdout).toMatch(new RegExp(`^${version.replaceAll(".", "\\.")}${known}\n$`));
});

describe.each(["SIGTERM", "SIGINT"] as const)("on %s", (signal) => {
  it("a stopping service finishes requests in flight, refuses new connections, and exits with 0", async (program) => {
    using lock = new Database(program.path);
    lock.run("BEGIN IMMEDIATE");
    const creating = program.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    const log = new LineReader(program.child.stderr);
    // Once a later request has a response, the create has reached the writer thread.
    await program.client.call("/healthz");
    program.child.kill(signal);
    await log.until(/stopping on/);
    expect(await isRefused(program.client.url)).toBe(true);
    lock.run("COMMIT");
    expect((await creating).status).toBe(201);
    expect(await program.child.exited).toBe(0);
    expect(await log.until(/never/)).toContain('"message":"stopped"');
    expect(lock.query("SELECT count(*) AS count FROM pets").get()).toEqual({ count: 1 });
  });

  it("idle connections do not delay the shutdown", async (program) => {
    using idle = new RawConnection(program.client.url);
    await idle.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").response();
    expect(await program.signal(signal)).toBe(0);
  });
});

it("two simultaneous signals, as from Ctrl-C through npm, count as one, and a later signal ends the program immediately", async (program) => {
  using lock = new Database(program.path);
  lock.run("BEGIN IMMEDIATE");
  const creating = program.client
    .call("/v1/pets", { body: { name: "Rex", categoryId: 1 } })
    .catch((error: Error) => error);
  await program.client.call("/healthz");
  const log = new LineReader(program.child.stderr);
  program.child.kill("SIGINT");
  program.child.kill("SIGINT");
  await log.until(/stopping on SIGINT/);
  expect(program.child.exitCode).toBeNull();
  while (program.child.exitCode === null) {
    program.child.kill("SIGINT");
    await isRefused(program.client.url);
  }
  expect(program.child.exitCode).toBe(1);
  expect(await log.until(/never/)).toContain("stopped at once by a second signal");
  expect(await creating).toBeInstanceOf(Error);
});

it("an incomplete request head does not delay the shutdown", async (program) => {
  using half = new RawConnection(program.client.url);
  half.send("GET /healthz HTTP/1.1\r\nHost: x\r\n");
  await program.client.call("/healthz");
  expect(await program.signal("SIGTERM")).toBe(0);
});

test.each(["schlüsselschlüssel", "a key of several words"])("the configured API key %p is accepted", async (key) => {
  await using program = await RunningProgram.startNew({ environment: { ANIMAL_STORE_API_KEY: key } });
  const header = Buffer.from(`Authorization: Bearer ${key}\r\n`).toString("latin1");
  using connection = new RawConnection(program.client.url);
  const response = await connection.send(`GET /v1/pets HTTP/1.1\r\nHost: x\r\n${header}\r\n`).response();
  expect(response?.status).toBe(200);
});

testUnless(linuxSkipReason("/dev/full"), "a failing log does not stop the service; the exit code is 0", async () => {
  using folder = temporaryFolder();
  const script = `${programInShell} serve --port 0 --database sqlite:${join(folder.path, "animals.db")} 2>/dev/full & child=$!
    trap "kill -TERM $child" TERM; wait $child; wait $child; echo "exit code $?"`;
  const shell = Bun.spawn(["sh", "-c", script], {
    env: { ...process.env, ANIMAL_STORE_API_KEY: programKey },
    stdout: "pipe",
  });
  const stdout = new LineReader(shell.stdout);
  const url = /http:\S+(?=\/v1,)/.exec(await stdout.until(/in a browser/))?.[0] ?? "";
  for (let round = 0; round < 5; round++)
    expect((await new Client(new URL(url), programKey).call("/v1/pets")).status).toBe(200);
  shell.kill("SIGTERM");
  expect(await stdout.until(/exit code/)).toBe("exit code 0\n");
});

testUnless(linuxSkipReason("/dev/full"), "a first key that cannot be printed is logged", async () => {
  using folder = temporaryFolder();
  const args = ["serve", "--port", "0", "--database", `sqlite:${join(folder.path, "animals.db")}`];
  const { ANIMAL_STORE_API_KEY: _, ...env } = process.env;
  await using child = Bun.spawn([...programCommand, ...args], { env, stdout: Bun.file("/dev/full"), stderr: "pipe" });
  const stderr = new LineReader(child.stderr);
  const line = JSON.parse(await stderr.until(/first key/));
  expect(line).toMatchObject({ level: "warn", message: expect.stringContaining("animal-store keys create") });
  expect(line.cause).toContain("ENOSPC");
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

it("an incomplete request delays the shutdown only for a limited time", async (program) => {
  using half = new RawConnection(program.client.url);
  half.send(
    `POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${programKey}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
  );
  await program.client.call("/healthz");
  expect(await program.signal("SIGTERM")).toBe(0);
});

describe("the log", () => {
  test("the log has a JSON line for each request, without keys, query values or bodies", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "animals.db");
    // Refused requests from one address share a log line, so requests without a valid key come from different addresses.
    await using program = await RunningProgram.start(path, { args: ["--trusted-proxy", "127.0.0.1"] });
    const from = (host: number) => ({ "x-forwarded-for": `203.0.113.${host}` });
    fillDatabase(path, 3);
    await program.client.call("/v1/pets?status=sold&id=2&secret=hunter2", { headers: { "x-request-id": "one" } });
    await program.client.call("/v1/pets", {
      body: { name: "Hunter Two", categoryId: 1 },
      headers: { "x-request-id": "two" },
    });
    await program.client.call("/v1/pets", {
      key: "ask_somebodys-typo",
      headers: { "x-request-id": "three", ...from(1) },
    });
    await program.client.call("/v1/pets/ask_0123456789abcdef", { headers: { "x-request-id": "four" } });
    await program.client.call("/v1/pets/%61sk_0123456789", { headers: { "x-request-id": "five" } });
    await program.client.call(`/v1/${programKey}`, { headers: { "x-request-id": programKey } });
    // A key may contain slashes, and clients may put a key in the wrong place.
    await program.client.call(`/v1/x/${keyWithSlashes}`, { headers: { "x-request-id": programKey.slice(1) } });
    const preflight = { origin: "https://shop.example", "access-control-request-method": "GET", ...from(2) };
    await program.client.call("/v1/webhooks/12/deliveries", { method: "OPTIONS", key: null, headers: preflight });
    using odd = new RawConnection(program.client.url);
    odd.send(`${programKey} /v1/pets HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.3\r\n\r\n`);
    expect((await odd.response())?.status).toBe(401);
    for (const target of ["/v1/pets/..", "/v1/pets/\\..", "/v1/pets/a%2Fb"]) {
      using connection = new RawConnection(program.client.url);
      connection.send(`GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${programKey}\r\n\r\n`);
      expect((await connection.response())?.status).toBe(404);
    }
    for (const path of ["/healthz", "/readyz", "/readyz/reads", "/readyz/writes", "/healthz/"]) {
      await program.client.call(path, { headers: from(4) });
    }
    using unsupported = new RawConnection(program.client.url);
    unsupported.send("GET /v1/pets HTTP/2.0\r\nHost: x\r\n\r\n");
    expect((await unsupported.response())?.status).toBe(505);
    await program.signal("SIGTERM");
    const text = await program.child.stderr.text();
    const lines = Array.from(text.trim().split("\n"), (line) => JSON.parse(line));
    const requests = lines.filter(({ message, path }) => message === "request" && path !== "/v1/openapi.json");
    expect(requests).toMatchObject([
      {
        requestId: "one",
        level: "info",
        method: "GET",
        path: "/v1/pets",
        operation: "listPets",
        key: "environment",
        status: 200,
      },
      { requestId: "two", method: "POST", operation: "createPet", status: 201 },
      { requestId: "three", status: 401 },
      { requestId: "four", path: "/v1/pets/...", operation: "getPet", status: 404 },
      { requestId: "five", path: "/v1/pets/...", operation: "getPet", status: 404 },
      { path: "/v1/...", status: 404 },
      { path: "/v1/...", status: 404 },
      { method: "OPTIONS", path: "/v1/webhooks/12/deliveries" },
      { method: "...", path: "/v1/pets", status: 401 },
      { path: "/v1/pets/..", operation: "getPet", status: 404 },
      { path: "/v1/pets/\\..", operation: "getPet", status: 404 },
      { path: "/v1/pets/a%2Fb", operation: "getPet", status: 404 },
      // Successful health checks are logged only at level debug.
      { path: "/healthz/", status: 404 },
      // Errors that clients cause are logged at level info.
      { level: "info", status: 505 },
    ]);
    for (const { time, milliseconds } of requests) {
      expect(Date.parse(time)).toBeGreaterThan(0);
      expect(milliseconds).toBeGreaterThan(0);
    }
    for (const secret of [
      programKey,
      programKey.slice(1),
      keyWithSlashes,
      "hunter2",
      "Hunter Two",
      "sold",
      "ask_somebodys",
      "0123456789",
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  const keyWithSlashes = "aB3/cD4/eF5+gH6/iJ7==";
  const hostileTarget = "/\u009b\u007fx";

  it("the log names the client of a malformed request, and escapes control characters", async (program) => {
    using connection = new RawConnection(program.client.url);
    connection.send(Buffer.from(`GET ${hostileTarget} HTTP/1.1\r\nHost: a b\r\n\r\n`));
    expect((await connection.response())?.status).toBe(400);
    await program.signal("SIGTERM");
    const line = (await program.child.stderr.text()).split("\n").find((text) => text.includes('"status":400'));
    expect(JSON.parse(line ?? "")).toMatchObject({ path: "/%C2%9B%7Fx", client: "127.0.0.1" });
  });

  test("the log escapes control characters on a terminal as well", async () => {
    using folder = temporaryFolder();
    const args = ["serve", "--port", "0", "--database", `sqlite:${join(folder.path, "animals.db")}`];
    const served = spawnOnTerminal(args, {
      columns: 200,
      environment: { ANIMAL_STORE_API_KEY: programKey, NO_COLOR: "1" },
    });
    const url = () => /http:\/\/127\.0\.0\.1:\d+/.exec(served.shown())?.[0];
    await until(() => url() !== undefined);
    using connection = new RawConnection(new URL(url() ?? ""));
    connection.send(Buffer.from(`GET ${hostileTarget} HTTP/1.1\r\nHost: a b\r\n\r\n`));
    await until(() => served.shown().includes("400 GET"));
    served.type("\x03");
    const { shown } = await served.ended();
    expect(shown).toContain("400 GET /%C2%9B%7Fx in ");
  });

  test("the log shows the cause of an internal error, which clients do not see", async () => {
    await using program = await RunningProgram.startNew({ args: ["--log-level", "error"] });
    await program.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
    using other = new Database(program.path);
    other.run("DROP TABLE pets");
    await program.client.call("/v1/pets");
    await program.client.call("/healthz");
    await program.signal("SIGTERM");
    const lines = (await program.child.stderr.text()).trim().split("\n");
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      level: "error",
      status: 500,
      cause: "SQLITE_ERROR: no such table: pets",
    });
  });

  test("serve with --log-level debug logs each health check", async () => {
    const args = ["--log-level", "debug"];
    await using program = await RunningProgram.startNew({ args });
    await program.client.call("/readyz/reads");
    await program.signal("SIGTERM");
    expect(await program.child.stderr.text()).toMatch(/"level":"debug","message":"request".*"path":"\/readyz\/reads"/);
  });

  test("serve with --log-level off logs nothing", async () => {
    await using program = await RunningProgram.startNew({ args: ["--log-level", "off"] });
    await program.client.call("/v1/pets");
    await program.signal("SIGTERM");
    expect(await program.child.stderr.text()).toBe("");
  });
});

async function isRefused(url: URL): Promise<boolean> {
  using connection = new RawConnection(url);
  return (await connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").response()) === undefined;
}

test.each([
  ["a-key-for-programs-under-test", true],
  ["aaaaaaaaaaaaaaaaAAAA1", true],
  ["4f1d0cc7b1a84f3e9d3f6a0c", false],
])("the service warns only about keys that look easy to guess: %s, %p", async (key, causesWarning) => {
  await using program = await RunningProgram.startNew({ environment: { ANIMAL_STORE_API_KEY: key } });
  await program.signal("SIGTERM");
  const text = await program.child.stderr.text();
  expect(text.includes("ANIMAL_STORE_API_KEY looks easy to guess")).toBe(causesWarning);
  expect(text).not.toContain(key);
});
