import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fillDatabase } from "../support/animals.ts";
import { RunningProgram, runProgram } from "../support/program.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

const rex = { name: "Rex", categoryId: 1 };
const pageSize = 4096;

/** Harm to the files. A service that did not notice this harm would lose the writes that are only in the WAL. */
const harms: readonly [state: string, harm: (path: string) => void, reason: string, startsAgain: boolean][] = [
  ["file removed", (path) => rmSync(path), "its file was removed or replaced", false],
  [
    "file replaced by an empty one",
    (path) => {
      writeFileSync(`${path}.other`, "");
      renameSync(`${path}.other`, path);
    },
    "its file was removed or replaced",
    false,
  ],
  ["file emptied", (path) => truncateSync(path), "its file was cut off", false],
  [
    "file cut off",
    // The last pages change with every write, so the WAL contains the pages that are cut off.
    (path) => truncateSync(path, pageSize * Math.ceil(statSync(path).size / pageSize / 2)),
    "its file was cut off",
    false,
  ],
  [
    "WAL removed",
    (path) => rmSync(`${path}-wal`),
    "its -wal file was removed; what was in it has been put into the file",
    true,
  ],
  [
    "WAL replaced by a copy",
    (path) => {
      copyFileSync(`${path}-wal`, `${path}.other`);
      renameSync(`${path}.other`, `${path}-wal`);
    },
    "its -wal file was replaced",
    true,
  ],
  ["WAL index removed", (path) => rmSync(`${path}-shm`), "its -shm file was removed or replaced", true],
];

describe.each(harms)("a running service with its %s", (_, harm, reason, startsAgain) => {
  test.each<[request: string, path: string, body: unknown]>([
    ["a write", "/v1/pets", rex],
    ["a probe", "/readyz", undefined],
  ])(
    "a service with harmed files responds to %s with 503 and ends, and loses no acknowledged write",
    async (_request, url, body) => {
      using folder = temporaryFolder();
      const path = join(folder.path, "animals.db");
      await using program = await RunningProgram.start(path, { args: ["--log-level", "error"] });
      for (let count = 0; count < 3; count++) await program.client.call("/v1/pets", { body: rex });
      harm(path);
      const { status, headers } = await program.client.call(url, { body });
      expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
      const before = hashFiles(folder.path);
      expect(await program.child.exited).toBe(1);
      expect(await program.readLogMessages()).toEqual([`the database can no longer be written to: ${reason}`]);
      expect(hashFiles(folder.path)).toEqual(before);
      if (startsAgain) {
        await using again = await RunningProgram.start(path);
        expect((await again.client.call("/v1/pets")).json).toHaveLength(3);
      } else {
        const { exitCode, stdout } = await runProgram(["serve", "--port", "0", "--database", `sqlite:${path}`]);
        expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: "" });
        // Ignores the index of the WAL, which holds no data of its own.
        expect({ ...hashFiles(folder.path), "animals.db-shm": "" }).toEqual({ ...before, "animals.db-shm": "" });
      }
    },
  );
});

describe.each<(typeof harms)[number]>([
  ...harms,
  ["WAL emptied", (path) => truncateSync(`${path}-wal`), "its -wal file was cut off", false],
  ["WAL cut off", (path) => truncateSync(`${path}-wal`, 5000), "its -wal file was cut off", false],
])("a running service with its %s", (_, harm, reason, startsAgain) => {
  const animals = [1, 2, 3].map((id) => ({ id, ...rex, status: "available" }));
  test.each<[path: string, response: string]>([
    ["/v1/pets", JSON.stringify(animals)],
    ["/v1/pets/2", JSON.stringify(animals[1])],
    ["/v1/export", animals.map((animal) => `${JSON.stringify(animal)}\n`).join("")],
  ])(
    "a service with harmed files responds to a read of %s normally or with 503, and ends without losing acknowledged writes",
    async (request, response) => {
      await using program = await RunningProgram.startNew({ args: ["--log-level", "error"] });
      const { path } = program;
      for (let count = 0; count < 3; count++) await program.client.call("/v1/pets", { body: rex });
      harm(path);
      const { status, text, headers } = await program.client.call(request);
      if (status === 503) expect(headers.get("retry-after")).toBe("1");
      else expect([status, text]).toEqual([200, response]);
      // The service may have ended already, because the read may have found the harm.
      const ready = await program.client.call("/readyz").catch(() => undefined);
      expect([503, undefined]).toContain(ready?.status);
      expect(await program.child.exited).toBe(1);
      expect(await program.readLogMessages()).toEqual([`the database can no longer be written to: ${reason}`]);
      if (!startsAgain) return;
      await using again = await RunningProgram.start(path);
      expect((await again.client.call("/v1/pets")).text).toBe(JSON.stringify(animals));
    },
  );
});

test.each([
  ["emptied", 0],
  ["cut off", 5000],
])("a running service whose WAL was %s acknowledges no further write, and ends", async (_, size) => {
  await using program = await RunningProgram.startNew({ args: ["--log-level", "error"] });
  for (let count = 0; count < 3; count++) await program.client.call("/v1/pets", { body: rex });
  truncateSync(`${program.path}-wal`, size);
  expect((await program.client.call("/v1/pets", { body: rex })).status).toBe(503);
  expect(await program.child.exited).toBe(1);
  expect(await program.child.stderr.text()).toContain(
    '"the database can no longer be written to: its -wal file was cut off"',
  );
});

test("a running service acknowledges no further write, and ends, after a backup was copied over its file", async () => {
  await using program = await RunningProgram.startNew({ args: ["--log-level", "error"] });
  const { path } = program;
  await program.client.call("/v1/pets", { body: rex });
  using other = new Database(path);
  other.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const backup = readFileSync(path);
  for (let count = 0; count < 3; count++) await program.client.call("/v1/pets", { body: rex });
  expect((await program.client.call("/readyz")).status).toBe(200);
  writeFileSync(path, backup, { flag: "r+" });
  expect((await program.client.call("/v1/pets", { body: rex })).status).toBe(503);
  expect(await program.child.exited).toBe(1);
  expect(JSON.parse(await program.child.stderr.text()).message).toBe(
    "the database can no longer be written to: its file was overwritten; to restore a backup, stop the service first, then use animal-store restore",
  );
});

test("a start refuses a large database file that lacks its last pages and has a WAL beside it", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  const program = await RunningProgram.start(path, { args: ["--log-level", "off"] });
  makeLarge(path);
  await program.client.call("/v1/pets", { body: rex });
  await program.signal("SIGKILL");
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
  truncateSync(path, statSync(path).size - 3 * 4096);
  const before = hashFiles(folder.path);
  const { exitCode, stderr } = await runProgram(["serve", "--port", "0", "--database", `sqlite:${path}`]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `animal-store: ${path} is damaged (it is shorter than its own header says). Restore a backup with animal-store restore FILE --replace; nothing in it was changed.\n`,
  });
  expect(hashFiles(folder.path)).toEqual(before);
});

const startWithAnimals = async () => {
  const program = await RunningProgram.startNew({ args: ["--log-level", "off"] });
  for (let count = 0; count < 3; count++) await program.client.call("/v1/pets", { body: rex });
  return program;
};
const expectHealthy = async ({ client }: RunningProgram, count: number) => {
  for (let round = 0; round < 2; round++) {
    expect((await client.call("/readyz")).status).toBe(200);
    expect((await client.call("/v1/pets", { body: rex })).status).toBe(201);
  }
  let foundCount = 0;
  for await (const _ of client.walk("/v1/pets?limit=100")) foundCount++;
  expect(foundCount).toBe(count + 2);
};

test("a running service continues after another program has truncated the WAL by a checkpoint", async () => {
  await using program = await startWithAnimals();
  const { path } = program;
  using other = new Database(path);
  expect(other.query("PRAGMA wal_checkpoint(TRUNCATE)").get()).toMatchObject({ busy: 0 });
  expect(statSync(`${path}-wal`).size).toBe(0);
  await expectHealthy(program, 3);
});

test.each(["PASSIVE", "FULL", "RESTART", "TRUNCATE"])(
  "a running service continues after another program has written to the file and checkpointed the WAL (%s)",
  async (mode) => {
    await using program = await startWithAnimals();
    const { path } = program;
    using other = new Database(path);
    other.run("PRAGMA busy_timeout = 5000");
    for (let round = 0; round < 10; round++) {
      // In some rounds, the other program checkpoints without having written, or after the service has checked the files.
      if (round % 2 === 0) fillDatabase(path, 100);
      expect(other.query(`PRAGMA wal_checkpoint(${mode})`).get()).toMatchObject({ busy: 0 });
      if (round % 3 === 0) expect((await program.client.call("/readyz")).status).toBe(200);
      expect((await program.client.call("/v1/pets", { body: rex })).status).toBe(201);
    }
    await expectHealthy(program, 513);
  },
);

test("a running service continues after another program has compacted the file", async () => {
  await using program = await startWithAnimals();
  const { path } = program;
  fillDatabase(path, 2000);
  using other = new Database(path);
  other.run("PRAGMA wal_checkpoint(TRUNCATE)");
  const before = statSync(path).size;
  expect((await program.client.call("/readyz")).status).toBe(200);
  other.run("DELETE FROM pets WHERE id > 3");
  other.run("VACUUM");
  other.run("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(statSync(path).size).toBeLessThan(before);
  await expectHealthy(program, 3);
});

const runAndKill = async (path: string) => {
  await using program = await RunningProgram.start(path, { args: ["--log-level", "off"] });
  for (let count = 0; count < 3; count++) await program.client.call("/v1/pets", { body: rex });
  await program.signal("SIGKILL");
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
};
const refusalFor = (path: string, state: string) => ({
  exitCode: 2,
  stdout: "",
  stderr: `animal-store: ${path} ${state}, but ${path}-wal is there, and may hold data that is nowhere else. Put back the file that it belongs to, or restore a backup with animal-store restore FILE --replace; to start over, move ${path}-wal away first. Nothing was changed.\n`,
});

test.each<[string, (path: string) => void]>([
  ["is missing", (path) => rmSync(path)],
  ["is empty", (path) => truncateSync(path)],
])("a start refuses a WAL whose database file %s, and changes nothing", async (state, harm) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  await runAndKill(path);
  copyFileSync(path, join(folder.path, "kept"));
  harm(path);
  const before = hashFiles(folder.path);
  const database = ["--database", `sqlite:${path}`];
  for (const command of [
    ["serve", "--port", "0", ...database],
    ["keys", "create", "--name", "me", ...database],
    ["keys", "list", ...database],
    ["migrate", ...database],
    ["migrate", "--dry-run", ...database],
    ["copy", "--from", `sqlite:${path}`, "--to", `sqlite:${join(folder.path, "copy.db")}`],
  ]) {
    expect(await runProgram(command)).toEqual(refusalFor(path, state));
    expect(hashFiles(folder.path)).toEqual(before);
  }
  renameSync(join(folder.path, "kept"), path);
  await using again = await RunningProgram.start(path);
  expect((await again.client.call("/v1/pets")).json).toHaveLength(3);
});

test.each<[string, (path: string) => void]>([
  ["a text", (path) => writeFileSync(path, "Dear diary")],
  ["zeros", (path) => writeFileSync(path, Buffer.alloc(8192))],
  ["half a header", (path) => truncateSync(path, 50)],
])("a start refuses a WAL whose database file is %s, and changes nothing", async (_, harm) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  await runAndKill(path);
  harm(path);
  const before = hashFiles(folder.path);
  const { exitCode, stderr } = await runProgram(["serve", "--port", "0", "--database", `sqlite:${path}`]);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: `animal-store: ${path} is not an animal-store database. Choose another file, or one that does not exist yet.\n`,
  });
  expect(hashFiles(folder.path)).toEqual(before);
});

test("a start refuses a journal whose database file is missing", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  using database = new Database(path);
  database.run("CREATE TABLE pets (id INTEGER PRIMARY KEY, name TEXT)");
  // A small cache makes SQLite flush the journal while the change is in progress.
  database.run("PRAGMA cache_size = 1");
  database.run("BEGIN");
  database.run(
    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) INSERT INTO pets (name) SELECT 'Rex' FROM n",
  );
  const journal = readFileSync(`${path}-journal`);
  expect(journal.readUInt32BE(16)).toBeGreaterThan(0);
  database.close();
  rmSync(path);
  writeFileSync(`${path}-journal`, journal);
  const before = hashFiles(folder.path);
  const { exitCode, stderr } = await runProgram(["serve", "--port", "0", "--database", `sqlite:${path}`]);
  expect(exitCode).toBe(2);
  expect(stderr).toStartWith(`animal-store: ${path} is missing, but ${path}-journal is there,`);
  expect(hashFiles(folder.path)).toEqual(before);
});

test.each<[string, (path: string) => void]>([
  ["an empty WAL", (path) => writeFileSync(`${path}-wal`, "")],
  ["an empty journal", (path) => writeFileSync(`${path}-journal`, "")],
  ["a WAL index", (path) => writeFileSync(`${path}-shm`, Buffer.alloc(32768))],
  [
    "the journal of a start that was killed",
    (path) => {
      const journal = Buffer.alloc(512);
      journal.write("d9d505f920a163d7", "hex");
      journal.writeUInt32BE(512, 20);
      journal.writeUInt32BE(4096, 24);
      writeFileSync(`${path}-journal`, journal);
      writeFileSync(path, "");
    },
  ],
])("a start creates a new store next to %s, which holds no data", async (_, leave) => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  leave(path);
  await using program = await RunningProgram.start(path);
  expect((await program.client.call("/v1/pets", { body: rex })).status).toBe(201);
  expect(await program.signal("SIGTERM")).toBe(0);
  expect(readdirSync(folder.path)).toEqual(["animals.db"]);
});

const damagedError = {
  code: "ServiceUnavailable",
  message: "The store's database is damaged, and must be restored.",
  status: 503,
};
const damageMessage =
  /^an integrity check has found damage: \S.*; stop the service, and restore a backup with animal-store restore FILE --replace$/;

test("damage causes 503, and once a check has found the damage, the log has advice, and only reads continue", async () => {
  using folder = temporaryFolder();
  const path = await makeSqliteStore(join(folder.path, "animals.db"));
  makeLarge(path);
  overwritePagesContaining(path, "Animal 15000 ");
  await using program = await RunningProgram.start(path, { args: ["--log-level", "error"] });
  expect((await program.client.call("/v1/pets", { body: rex })).status).toBe(201);
  expect((await program.client.call("/v1/pets?id=15000")).status).toBe(503);
  await until(async () => (await program.client.call("/readyz/writes")).status === 503);
  expect((await program.client.call("/v1/pets?id=15000")).json).toEqual(damagedError);
  expect((await program.client.call("/v1/pets", { body: rex })).json).toEqual({
    ...damagedError,
    message: `${damagedError.message} Nothing was saved.`,
  });
  expect((await program.client.call("/v1/pets?limit=1")).status).toBe(200);
  expect((await program.client.call("/healthz")).status).toBe(200);
  expect(await program.signal("SIGTERM")).toBe(0);
  expect(await program.readLogMessages()).toEqual([expect.stringMatching(damageMessage)]);
});

test("an export that finds damage gets 503, and starts an integrity check", async () => {
  using folder = temporaryFolder();
  const path = await makeSqliteStore(join(folder.path, "animals.db"));
  makeLarge(path);
  overwritePagesContaining(path, "Animal 500");
  await using program = await RunningProgram.start(path, { args: ["--log-level", "error"] });
  expect((await program.client.call("/v1/export")).status).toBe(503);
  await until(async () => (await program.client.call("/readyz")).status === 503);
  expect((await program.client.call("/v1/export")).json).toEqual(damagedError);
  expect(await program.signal("SIGTERM")).toBe(0);
  expect(await program.readLogMessages()).toEqual([expect.stringMatching(damageMessage)]);
});

/** Fills a store with animals until the file is too large to be read completely at a start. */
function makeLarge(path: string): void {
  fillDatabase(path, 20_000, ` ${"x".repeat(240)}`);
  using database = new Database(path);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(statSync(path).size).toBeGreaterThan(16 * 1024 * 1024);
}

function overwritePagesContaining(path: string, text: string): void {
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at)) {
    const page = at - (at % 4096);
    bytes.fill(0xff, page, page + 4096);
  }
  writeFileSync(path, bytes);
}

/** Returns the hashes of all files in a folder, so that a failed comparison names the files that differ. */
function hashFiles(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder)
      .filter((name) => existsSync(join(folder, name)))
      .sort()
      .map((name) => [name, new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, name))).digest("hex")]),
  );
}
