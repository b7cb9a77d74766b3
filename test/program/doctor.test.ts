import { expect, test } from "bun:test";
import { chmodSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import type { SettingReport } from "../../src/config.ts";
import { openStore } from "../../src/store/open-store.ts";
import { makeDatabase, urlOf } from "../support/database.ts";
import { PostgresServer } from "../support/postgres.ts";
import { failure, programCommand, RunningProgram, runProgram } from "../support/program.ts";
import { makeOldSqliteStore, makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(temporaryFolder);

interface Report {
  readonly versions: Readonly<Record<string, string>>;
  readonly settings: readonly SettingReport[];
  readonly diagnoses: readonly { about: string; isWell: boolean; found: string; advice?: string }[];
}

/** With these settings, doctor finds no problem even if few files may be open or another program has the default port. */
const lowLimits = ["--max-connections", "10"];
const anyPort = { PORT: "0" };
const advice = "serve would not start: choose another port or host, or stop the program that has it.";

async function examine(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  const { stdout, stderr, exitCode } = await runProgram(["doctor", "--json", ...lowLimits, ...args], {
    environment: { ...anyPort, ...environment },
  });
  expect(stderr).toBe("");
  const report: Report = JSON.parse(stdout);
  return { report, exitCode, wrong: report.diagnoses.filter(({ isWell }) => !isWell) };
}

it("doctor finds nothing wrong with a store after a clean shutdown, and changes nothing", async (folder) => {
  const path = await makeSqliteStore(join(folder.path, "animals.db"), 3);
  const before = readFileSync(path);
  const { report, exitCode, wrong } = await examine(["--database", `sqlite:${path}`]);
  expect({ exitCode, wrong }).toEqual({ exitCode: 0, wrong: [] });
  expect(report.versions["animal-store"]).toStartWith(version);
  expect(report.versions["Bun"]).toBe(Bun.version);
  expect(report.versions["database"]).toMatch(/^SQLite 3\.\d+\.\d+$/);
  expect(report.versions["schema"]).toMatch(/^(\d+); this program knows \1$/);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(readdirSync(folder.path)).toEqual(["animals.db"]);
});

it("doctor prints the same report as text", async (folder) => {
  const path = await makeSqliteStore(join(folder.path, "animals.db"));
  const { stdout, exitCode } = await runProgram(["doctor", ...lowLimits, "--database", `sqlite:${path}`], {
    environment: anyPort,
  });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/^Versions\n {2}animal-store .*\n[\s\S]*\nSettings\n[\s\S]*\nFindings\n( {2}ok {5}\S.*\n)+$/);
  expect(stdout).toContain(`sqlite:${path} (flag)`);
});

test("doctor shows the source of each setting, and no secret", async () => {
  const secret = "s3cret-of-the-doctor";
  const environment = {
    DATABASE_URL: `postgres://user:${secret}@127.0.0.1:1/d?sslpassword=${secret}`,
    ANIMAL_STORE_API_KEY: `${secret}-Key1`,
    DATABASE_REPLICA_URLS: `postgres://a:${secret}@127.0.0.1:1/d postgres://b:${secret}@127.0.0.1:1/d`,
  };
  const { stdout } = await runProgram(["doctor", "--port", "9000"], { environment });
  expect(stdout).not.toContain(secret);
  const { stdout: json } = await runProgram(["doctor", "--json", "--port", "9000"], { environment });
  const report: Report = JSON.parse(json);
  expect(json).not.toContain(secret);
  const findSetting = (wanted: string) => report.settings.find(({ name }) => name === wanted);
  expect(findSetting("--port")).toEqual({ name: "--port", value: "9000", source: "flag" });
  expect(findSetting("--host")).toEqual({ name: "--host", value: "127.0.0.1", source: "default" });
  expect(findSetting("--rate-limit")).toEqual({ name: "--rate-limit", value: null, source: null });
  expect(findSetting("OTEL_EXPORTER_OTLP_HEADERS")).toMatchObject({ value: null, source: null });
  expect(findSetting("ANIMAL_STORE_API_KEY")).toMatchObject({ value: "...", source: "environment" });
  expect(findSetting("--database")).toMatchObject({
    value: "postgres://...@127.0.0.1:1/d?sslpassword=...",
    source: "environment",
  });
  expect(findSetting("--replica")?.value).toBe("postgres://...@127.0.0.1:1/d postgres://...@127.0.0.1:1/d");
});

test("doctor hides passwords with unencoded characters, and shows paths in full", async () => {
  const password = "s3cret s3cret,s3cret@s3cret";
  const { report } = await examine(["--tls-cert", "/etc/tls/me@home.crt"], {
    DATABASE_URL: `postgres://user:${password}@127.0.0.1:1/d`,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:${password}@127.0.0.1:1`,
  });
  expect(JSON.stringify(report)).not.toContain("s3cret");
  const findSetting = (wanted: string) => report.settings.find(({ name }) => name === wanted)?.value;
  expect(findSetting("--database")).toBe("postgres://...@127.0.0.1:1/d");
  expect(findSetting("OTEL_EXPORTER_OTLP_ENDPOINT")).toBe("http://...@127.0.0.1:1");
  expect(findSetting("--tls-cert")).toBe("/etc/tls/me@home.crt");
});

it("doctor finds nothing wrong without a store, and creates none", async (folder) => {
  const { report, exitCode } = await examine(["--database", `sqlite:${join(folder.path, "new/animals.db")}`]);
  expect(exitCode).toBe(0);
  expect(report.versions["schema"]).toStartWith("none yet; ");
  expect(readdirSync(folder.path)).toEqual([]);
});

it("doctor reports that a store of an older version will be migrated", async (folder) => {
  const path = join(folder.path, "animals.db");
  makeOldSqliteStore(path);
  chmodSync(path, 0o600);
  const { report, exitCode } = await examine(["--database", `sqlite:${path}`]);
  expect(exitCode).toBe(0);
  const store = report.diagnoses.find(({ about }) => about === "store");
  expect(store?.found).toMatch(/^its schema is \d+ migrations? behind$/);
  expect(store?.advice).toContain("migrate");
});

test.each<[what: string, spoil: (path: string) => void, about: string, advice: RegExp]>([
  ["a world-readable file", (path) => chmodSync(path, 0o644), "file modes", /^Run chmod 600 .*animals\.db$/],
  ["a world-writable folder", (path) => chmodSync(join(path, ".."), 0o777), "file modes", /^Run chmod go-w /],
  ["a clock that is behind", (path) => utimesSync(path, 4e9, 4e9), "clock", /^Set the clock/],
])("doctor says what to do about %s, and exits with 1", async (_, spoil, about, advice) => {
  using folder = temporaryFolder();
  const path = await makeSqliteStore(join(folder.path, "animals.db"));
  spoil(path);
  const { exitCode, wrong } = await examine(["--database", `sqlite:${path}`]);
  expect(exitCode).toBe(1);
  expect(wrong).toEqual([{ about, isWell: false, found: expect.any(String), advice: expect.stringMatching(advice) }]);
});

test.each<[what: string, args: readonly string[], environment: Record<string, string>, about: string]>([
  ["a file of another kind", ["--database", "sqlite:package.json"], {}, "store"],
  ["a server that does not respond", ["--database", "postgres://u@127.0.0.1:1/d"], {}, "store"],
  ["a setting that is ignored", [], { OTEL_TRACES_SAMPLER: "sometimes" }, "settings"],
  ["a certificate without its key", ["--tls-cert", "package.json"], {}, "TLS"],
  ["a file that is no certificate", ["--tls-cert", "package.json", "--tls-key", "package.json"], {}, "TLS"],
  ["a key that is easy to guess", [], { ANIMAL_STORE_API_KEY: "aaaaaaaaaaaaaaaa" }, "ANIMAL_STORE_API_KEY"],
])("doctor says what to do about %s, and exits with 1", async (_, args, environment, about) => {
  using folder = temporaryFolder();
  const database = args.includes("--database") ? [] : ["--database", `sqlite:${join(folder.path, "animals.db")}`];
  const { exitCode, wrong } = await examine([...database, ...args], environment);
  expect(exitCode).toBe(1);
  expect(wrong.map((diagnosis) => diagnosis.about)).toContain(about);
  for (const { advice } of wrong) expect(advice).toMatch(/\S/);
});

test.each(["--port", "--metrics-port"])(
  "doctor finds another program on the %s, because of which serve would not start",
  async (flag) => {
    using folder = temporaryFolder();
    using other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
    const givenArgs = ["--database", `sqlite:${folder.path}/animals.db`, flag, String(other.port)];
    const found = `${flag} ${other.port} cannot be used on --host 127.0.0.1: it is already in use`;
    const { exitCode, wrong } = await examine(givenArgs);
    expect({ exitCode, wrong }).toEqual({ exitCode: 1, wrong: [{ about: "port", isWell: false, found, advice }] });
    expect((await runProgram(["serve", ...givenArgs], { environment: anyPort })).stderr).toContain(found);
  },
);

test.each([
  ["192.0.2.1", "this machine does not have that address"],
  ["animals.invalid", "there is no such host"],
])("doctor reports that the service cannot listen on %s", async (host, reason) => {
  using folder = temporaryFolder();
  const { exitCode, wrong } = await examine(["--database", `sqlite:${folder.path}/animals.db`, "--host", host]);
  const found = `--port 0 cannot be used on --host ${host}: ${reason}`;
  expect({ exitCode, wrong }).toEqual({ exitCode: 1, wrong: [{ about: "port", isWell: false, found, advice }] });
});

test("doctor accepts a port that the running service has taken, unless the service has another store", async () => {
  await using program = await RunningProgram.startNew();
  const { path } = program;
  const { port } = program.client.url;
  const beside = await examine(["--database", `sqlite:${path}`, "--port", port]);
  expect({ exitCode: beside.exitCode, wrong: beside.wrong }).toEqual({ exitCode: 0, wrong: [] });
  expect(beside.report.diagnoses).toContainEqual({
    about: "port",
    isWell: true,
    found: `a running service already has --port ${port} on --host 127.0.0.1`,
  });
  const another = await examine(["--database", `sqlite:${path}-2`, "--port", port]);
  expect(another.wrong).toMatchObject([{ about: "port", advice }]);
});

it("doctor reports that the folder of the store cannot be created below a file", async (folder) => {
  const file = join(folder.path, "file");
  writeFileSync(file, "");
  const givenArgs = ["--database", `sqlite:${file}/data/animals.db`];
  const found = `${file}/data/animals.db cannot be created, because ${file} is not a folder`;
  expect((await examine(givenArgs)).wrong).toEqual([
    { about: "store", isWell: false, found, advice: "Choose another place." },
  ]);
  expect((await runProgram(["serve", ...givenArgs], { environment: anyPort })).stderr).toContain("ENOTDIR");
});

it("doctor says how to raise a limit on open files that is too low, and exits with 1", async (folder) => {
  const database = `sqlite:${join(folder.path, "animals.db")}`;
  const script = `ulimit -n 256 && exec "$@"`;
  const child = Bun.spawn(["sh", "-c", script, "sh", ...programCommand, "doctor", "--json", "--database", database], {
    env: process.env,
    stdout: "pipe",
  });
  const { diagnoses }: Report = JSON.parse(await child.stdout.text());
  expect(await child.exited).toBe(1);
  expect(diagnoses.find(({ about }) => about === "open files")).toMatchObject({
    isWell: false,
    found: "256 may be open, --max-connections is 4096",
    advice: "Raise the limit (ulimit -n 4196), or lower --max-connections.",
  });
});

test("doctor checks PostgreSQL, and the skew of its clock", async () => {
  await using database = await makeDatabase("postgres");
  await (await openStore(database.address, { poolSize: 1, onDeath: () => {} })).close();
  const { report, exitCode } = await examine(["--database", urlOf(database)]);
  expect(exitCode).toBe(0);
  expect(report.versions["database"]).toMatch(/^PostgreSQL \d+/);
  expect(report.versions["schema"]).toMatch(/^(\d+); this program knows \1$/);
  expect(report.diagnoses.find(({ about }) => about === "clock")?.found).toContain("the server's");
});

test("doctor says what to do about a hanging PostgreSQL server", async () => {
  await using server = await PostgresServer.start();
  using _ = server.freeze();
  const { exitCode, wrong } = await examine(["--database", server.url]);
  expect(exitCode).toBe(1);
  expect(wrong).toEqual([
    {
      about: "store",
      isWell: false,
      found: expect.stringContaining("The PostgreSQL database cannot be used: "),
      advice: expect.stringMatching(/^Make sure that the server is running/),
    },
  ]);
});

it("doctor gives no advice if none is known", async (folder) => {
  const path = join(folder.path, `${"x".repeat(300)}.db`);
  const { exitCode, wrong } = await examine(["--database", `sqlite:${path}`]);
  expect(exitCode).toBe(1);
  expect(wrong).toEqual([{ about: "store", isWell: false, found: expect.stringContaining("ENAMETOOLONG") }]);
});

test.each([
  [["--port", "x"], '--port must be an integer from 0 to 65535, not "x".'],
  [["--port", "9100", "--metrics-port", "9100"], "--metrics-port and --port must differ, but both are 9100."],
  [["--metrics-host", "127.0.0.1"], "--metrics-host needs --metrics-port, which was not given."],
])("doctor %j fails with a one-line error and exit code 2, as serve does", async (args, line) => {
  expect(await runProgram(["doctor", ...args])).toEqual(failure(line));
});
