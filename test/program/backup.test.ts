import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { watch } from "node:fs/promises";
import { constants } from "node:os";
import { basename, join } from "node:path";
import { fillDatabase } from "../support/animals.ts";
import { linuxSkipReason, testUnless } from "../support/conditional-test.ts";
import { leavePartialFile } from "../support/partial-file.ts";
import {
  endBySignal,
  failure,
  LineReader,
  programCommand,
  RunningProgram,
  runProgram,
  spawnOnTerminal,
} from "../support/program.ts";
import { makeOldSqliteStore, makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";

const quiet = { args: ["--log-level", "off"] };

/** Makes two folders. The paths of the store and the backup are in the first folder. */
function makeFolders() {
  const [folder, elsewhere] = [temporaryFolder(), temporaryFolder()];
  return {
    ...{ folder, elsewhere, path: join(folder.path, "animals.db"), file: join(folder.path, "backup.db") },
    [Symbol.dispose]() {
      for (const each of [folder, elsewhere]) each[Symbol.dispose]();
    },
  };
}

const it = testWith(makeFolders);

it("a backup under the load of 16 writers contains every animal that was acknowledged before the backup began", async (at) => {
  const { folder, path, file } = at;
  await makeSqliteStore(path, 20_000);
  await using program = await RunningProgram.start(path, quiet);
  const acknowledged: number[] = [];
  const enough = Promise.withResolvers<void>();
  let isDone = false;
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    while (!isDone) {
      const response = await program.client.call("/v1/pets", { body: { name: `by ${writer}`, categoryId: writer } });
      expect(response.status).toBe(201);
      acknowledged.push((response.json as { id: number }).id);
      if (acknowledged.length === 200) enough.resolve();
    }
  });
  await Promise.race([enough.promise, Promise.all(writers)]);
  const before = acknowledged.slice();
  const result = await backUp(path, file);
  isDone = true;
  await Promise.all(writers);
  expect(result).toMatchObject({ stderr: "", exitCode: 0 });
  expect(result.stdout).toMatch(
    new RegExp(`^Backed up to ${file}: \\d+ animals, ${statSync(file).size} bytes, [\\d.]+ seconds?\\.\n$`),
  );
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).sort()).toEqual(["animals.db", "animals.db-shm", "animals.db-wal", "backup.db"]);
  expect(await program.signal("SIGTERM")).toBe(0);

  expect((await check(file)).exitCode).toBe(0);
  const ids = new Set(readIds(file));
  expect(before.filter((id) => !ids.has(id))).toEqual([]);
  expect(ids.size).toBeGreaterThanOrEqual(20_200);
  expect(result.stdout).toContain(`: ${ids.size} animals, `);
  expect(readSchema(file)).toEqual(readSchema(path));
});

it("a backup contains tables that an operator has added, whatever their names are", async ({ path, file }) => {
  await makeSqliteStore(path, 1);
  {
    using database = new Database(path);
    database.run('CREATE TABLE "my ""own"" notes; --" (text TEXT)');
    database.run('INSERT INTO "my ""own"" notes; --" VALUES (\'x\'), (\'y\')');
  }
  expect(await backUp(path, file)).toMatchObject({ stderr: "", exitCode: 0 });
  using copy = new Database(file, { readonly: true });
  expect(copy.query('SELECT text FROM "my ""own"" notes; --"').values()).toEqual([["x"], ["y"]]);
});

it("a restore recovers a destroyed store", async ({ folder, path, file }) => {
  const paths = ["/v1/pets?limit=100", "/v1/store/orders", "/v1/categories", "/v1/store/inventory"];
  const order = { body: { petId: 2 }, headers: { "idempotency-key": "one" } };
  let bodies: string[];
  let ordered: string;
  {
    await using program = await RunningProgram.start(path, quiet);
    for (const name of ["Rex", "Tom", "Pip"]) await program.client.call("/v1/pets", { body: { name, categoryId: 7 } });
    await program.client.call("/v1/pets/3", { method: "DELETE" });
    await program.client.call("/v1/categories/7", { method: "PUT", body: { name: "Dogs" } });
    ordered = (await program.client.call("/v1/store/orders", order)).text;
    bodies = await Promise.all(paths.map(async (path) => (await program.client.call(path)).text));
    expect((await backUp(path, file)).exitCode).toBe(0);
  }
  for (const name of readdirSync(folder.path)) if (name !== "backup.db") rmSync(join(folder.path, name));

  expect(await restore(file, path)).toEqual({
    stdout: `Restored ${path} from ${file}: 2 animals, ${statSync(file).size} bytes.\n`,
    stderr: "",
    exitCode: 0,
  });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await using program = await RunningProgram.start(path, quiet);
  expect(await Promise.all(paths.map(async (path) => (await program.client.call(path)).text))).toEqual(bodies);
  expect((await program.client.call("/v1/store/orders", order)).text).toBe(ordered);
  const added = await program.client.call("/v1/pets", { body: { name: "New", categoryId: 7 } });
  expect(added.json).toMatchObject({ id: 4 });
});

testUnless(
  process.geteuid?.() === 0 ? undefined : "only root can act for other users",
  "files that root restores or creates in the folder of another user belong to that user",
  async () => {
    using folder = temporaryFolder();
    const [path, file] = [join(folder.path, "animals.db"), join(folder.path, "backup.db")];
    await makeSqliteStore(file, 3);
    chownSync(folder.path, anotherUser, anotherUser);
    const readOwnership = () => [statSync(path).uid, statSync(path).gid, statSync(path).mode & 0o777];
    expect(await restore(file, path)).toMatchObject({ stderr: "", exitCode: 0 });
    expect(readOwnership()).toEqual([anotherUser, anotherUser, 0o600]);
    // The owner of the store takes precedence over the owner of the folder.
    chownSync(path, anotherUser + 1, anotherUser + 1);
    expect(await restore(file, path, "--replace")).toMatchObject({ stderr: "", exitCode: 0 });
    expect(readOwnership()).toEqual([anotherUser + 1, anotherUser + 1, 0o600]);
    rmSync(path);
    expect((await runProgram(["copy", "--from", `sqlite:${file}`, "--to", `sqlite:${path}`])).exitCode).toBe(0);
    expect(readOwnership()).toEqual([anotherUser, anotherUser, 0o600]);
  },
);

const anotherUser = 65_000;

it("a killed backup leaves no file at its target, and does not change the store", async ({ elsewhere, path }) => {
  const file = join(elsewhere.path, "backup.db");
  await putLargeStore(path);
  const before = readFileSync(path);
  const events = watch(elsewhere.path);
  const child = start("backup", file, "--database", `sqlite:${path}`);
  for await (const { filename } of events) {
    if (filename?.startsWith("backup.db.partial-") && hasContent(join(elsewhere.path, filename))) break;
  }
  await endBySignal(child, "SIGKILL");
  expect(child.signalCode).toBe("SIGKILL");
  expect(existsSync(file)).toBe(false);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(listPartialFiles(elsewhere.path)).toHaveLength(1);
  expect((await backUp(path, file)).exitCode).toBe(0);
  expect(readdirSync(elsewhere.path)).toEqual(["backup.db"]);
});

it("the next restore or start removes the files of a killed restore, but not the files of a running restore", async (at) => {
  const { folder, elsewhere, path } = at;
  const file = join(elsewhere.path, "backup.db");
  const small = join(elsewhere.path, "small.db");
  await putLargeStore(file);
  await makeSqliteStore(small, 3);
  const suspendRestore = async () => {
    const before = listPartialFiles(folder.path);
    const child = start("restore", file, "--replace", "--database", `sqlite:${path}`);
    await until(() => listPartialFiles(folder.path).some((name) => !before.includes(name)));
    child.kill("SIGSTOP");
    const [partial = ""] = listPartialFiles(folder.path).filter((name) => !before.includes(name));
    return { child, partial };
  };
  const kill = async ({ child }: Awaited<ReturnType<typeof suspendRestore>>) => {
    await endBySignal(child, "SIGKILL");
  };
  const [first, second] = [await suspendRestore(), await suspendRestore()];
  expect(await restore(small, path)).toMatchObject({ stderr: "", exitCode: 0 });
  const listPartials = (...all: readonly { partial: string }[]) => all.map(({ partial }) => partial).sort();
  expect(listPartialFiles(folder.path)).toEqual(listPartials(first, second));
  await kill(first);
  expect(await restore(small, path, "--replace")).toMatchObject({ stderr: "", exitCode: 0 });
  expect(listPartialFiles(folder.path)).toEqual(listPartials(second));
  await kill(second);
  await using _ = await RunningProgram.start(path, quiet);
  expect(listPartialFiles(folder.path)).toEqual([]);
});

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  const reason = signal === "SIGHUP" ? linuxSkipReason("a list of the signals that are ignored") : undefined;

  testUnless(reason, `${signal} in the middle of a backup leaves no file`, async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const path = join(folder.path, "animals.db");
    await putLargeStore(path);
    const stderr = await interrupt(signal, elsewhere.path, "backup", join(elsewhere.path, "backup.db"), path);
    expect(stderr).toBe(`animal-store: Stopped by ${signal}. No backup was made.\n`);
    expect(readdirSync(elsewhere.path)).toEqual([]);
  });

  testUnless(reason, `${signal} in the middle of a restore leaves only the unchanged store`, async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const [path, file] = [join(folder.path, "animals.db"), join(elsewhere.path, "backup.db")];
    await putLargeStore(file);
    await makeSqliteStore(path, 3);
    const stderr = await interrupt(signal, folder.path, "restore", file, path, "--replace");
    expect(stderr).toBe(`animal-store: Stopped by ${signal}. Nothing was restored.\n`);
    expect(readdirSync(folder.path)).toEqual(["animals.db"]);
    expect(readIds(path)).toEqual([1, 2, 3]);
  });
}

it("a stopped backup prints its message on a line below the progress", async ({ folder, path }) => {
  await putLargeStore(path);
  const backup = spawnOnTerminal(["backup", join(folder.path, "backup.db"), "--database", `sqlite:${path}`]);
  await until(() => backup.shown().includes("Backing up ["));
  backup.type("\x03");
  const { shown, exitCode } = await backup.ended();
  expect(exitCode).toBe(130);
  expect(shown.trimEnd().split("\n").at(-1)).toBe("animal-store: Stopped by SIGINT. No backup was made.");
});

test.each([
  ["backup", /is a store, not a backup/],
  ["restore", /already exists/],
] as const)("%s does not replace a store that is created at its target in the meantime", async (command, complaint) => {
  using folder = temporaryFolder();
  using elsewhere = temporaryFolder();
  const [large, made] = [join(folder.path, "large.db"), join(folder.path, "made.db")];
  await putLargeStore(large);
  await makeSqliteStore(made, 3);
  const target = join(elsewhere.path, "animals.db");
  const [file, path] = command === "backup" ? [target, large] : [large, target];
  const child = await startWriting(elsewhere.path, command, file, path);
  renameSync(made, target);
  const [stdout, stderr] = [await child.stdout.text(), await child.stderr.text()];
  expectOneLineError({ stdout, stderr, exitCode: await child.exited }, complaint);
  expect(readdirSync(elsewhere.path)).toEqual([basename(target)]);
  expect(readIds(target)).toEqual([1, 2, 3]);
});

async function interrupt(signal: "SIGTERM" | "SIGINT" | "SIGHUP", folder: string, ...given: CommandOnFile) {
  const child = await startWriting(folder, ...given);
  child.kill(signal);
  expect(await child.exited).toBe(128 + constants.signals[signal]);
  return await child.stderr.text();
}

async function startWriting(folder: string, ...[command, file, path, ...args]: CommandOnFile) {
  const events = watch(folder);
  const child = start(command, file, "--database", `sqlite:${path}`, ...args);
  for await (const { filename } of events) {
    if (filename?.includes(".db.partial-") && hasContent(join(folder, filename))) break;
  }
  return child;
}

type CommandOnFile = [command: "backup" | "restore", file: string, path: string, ...args: string[]];

it("backup --every continues after SIGHUP under nohup", async ({ elsewhere, path }) => {
  await makeSqliteStore(path, 1);
  const command = [...programCommand, "backup", "--every", "1s", elsewhere.path, "--database", `sqlite:${path}`];
  const child = Bun.spawn(["sh", "-c", 'trap "" HUP; exec "$@"', "sh", ...command], {
    env: process.env,
    stderr: "pipe",
  });
  const log = new LineReader(child.stderr);
  await log.until(/"backed up"/);
  child.kill("SIGHUP");
  expect(await log.until(/"backed up"/)).not.toContain("stopping");
  expect(await endBySignal(child, "SIGTERM")).toBe(0);
});

/** Copies a store that is large enough to interrupt a command midway. The original is created only once, because copies are faster. */
async function putLargeStore(path: string): Promise<void> {
  const largeStore = join(largeStoreFolder.path, "animals.db");
  if (!existsSync(largeStore)) await makeSqliteStore(largeStore, 200_000);
  copyFileSync(largeStore, path);
}

const largeStoreFolder = temporaryFolder();
afterAll(() => largeStoreFolder[Symbol.dispose]());

it("backup --every removes the oldest backups, and nothing else", async ({ elsewhere, path }) => {
  await makeSqliteStore(path, 10);
  const foreign = ["animal-store-mine.db", "animal-store-20200101T000000Z.db.old", "notes.txt"];
  const oldBackups = ["animal-store-20200101T000000Z.db", "animal-store-20210101T000000Z.db"];
  for (const name of [...foreign, ...oldBackups]) writeFileSync(join(elsewhere.path, name), "");
  oldBackups.push(basename(await leavePartialFile(join(elsewhere.path, "animal-store-20220101T000000Z.db"))));
  const child = start("backup", "--every", "1s", "--keep", "2", elsewhere.path, "--database", `sqlite:${path}`);
  const log = new LineReader(child.stderr);
  const entry = async (pattern: RegExp) => JSON.parse((await log.until(pattern)).trim().split("\n").at(-1) ?? "");
  const first = await entry(/"backed up"/);
  expect(first).toMatchObject({ level: "info", animals: 10, bytes: statSync(first.file).size });
  expect(first.file).toMatch(/\/animal-store-\d{8}T\d{6}Z\.db$/);
  // A failed backup does not end the series.
  const away = `${path}.away`;
  copyFileSync(path, away);
  rmSync(path);
  expect(await entry(/"the backup failed"/)).toMatchObject({ level: "error", cause: expect.stringContaining(path) });
  copyFileSync(away, path);
  const second = await entry(/"backed up"/);
  await entry(/"removed an old backup"/);
  expect(await endBySignal(child, "SIGTERM")).toBe(0);
  const remainingFiles = readdirSync(elsewhere.path);
  for (const name of foreign) expect(remainingFiles).toContain(name);
  for (const name of oldBackups) expect(remainingFiles).not.toContain(name);
  expect(remainingFiles.filter((name) => /^animal-store-\d{8}T\d{6}Z\.db$/.test(name))).toHaveLength(2);
  expect(remainingFiles).toContain(second.file.split("/").at(-1));
});

it("backup --every --json continues when its standard output is closed", async ({ elsewhere, path }) => {
  await makeSqliteStore(path, 1);
  const often = ["--every", "1s", "--keep", "1"];
  const child = start("backup", "--json", ...often, elsewhere.path, "--database", `sqlite:${path}`);
  await child.stdout.cancel();
  const logged = await new LineReader(child.stderr).until(/"removed an old backup"|"the backup failed"/);
  expect(await endBySignal(child, "SIGTERM")).toBe(0);
  expect(parseMessages(logged)).toEqual(["backed up", "backed up", "removed an old backup"]);
});

testUnless(
  linuxSkipReason("a device that is always full"),
  "backup --every logs a backup that cannot be printed, and keeps the backup",
  async () => {
    using folder = temporaryFolder();
    using elsewhere = temporaryFolder();
    const path = await makeSqliteStore(join(folder.path, "animals.db"), 1);
    const child = Bun.spawn(
      [...programCommand, "backup", "--json", "--every", "1h", elsewhere.path, "--database", `sqlite:${path}`],
      { env: process.env, stdout: Bun.file("/dev/full"), stderr: "pipe" },
    );
    const logged = await new LineReader(child.stderr).until(/ENOSPC/);
    expect(await endBySignal(child, "SIGTERM")).toBe(0);
    expect(parseMessages(logged)).toEqual(["backed up", "the backup was made, but could not be printed"]);
  },
);

function parseMessages(log: string): string[] {
  return Array.from(log.trim().split("\n"), (line) => JSON.parse(line).message);
}

it("backup --every can wait longer than a timer's maximum delay, and keeps 24 backups by default", async (at) => {
  const { elsewhere, path } = at;
  await makeSqliteStore(path, 1);
  const oldBackups = Array.from({ length: 25 }, (_, index) => `animal-store-20210101T0000${10 + index}Z.db`);
  for (const name of oldBackups) writeFileSync(join(elsewhere.path, name), "");
  const child = start("backup", "--every", "30d", elsewhere.path, "--database", `sqlite:${path}`);
  const log = new LineReader(child.stderr);
  const logged = await log.until(/"backed up"/);
  child.kill("SIGTERM");
  // The runtime would warn about a delay that exceeds a timer's maximum.
  expect(parseMessages(logged + (await log.until(/never/)))).toEqual([
    "backed up",
    "removed an old backup",
    "removed an old backup",
    "stopping on SIGTERM",
  ]);
  const remainingFiles = readdirSync(elsewhere.path).sort();
  expect(remainingFiles).toEqual([...oldBackups.slice(2), expect.stringMatching(/^animal-store-/)]);
});

it("a higher number marks a newer backup among backups of the same second", async ({ elsewhere, path }) => {
  await makeSqliteStore(path, 1);
  const [first, second, tenth] = ["", "-2", "-10"].map((number) => `animal-store-20210101T000000Z${number}.db`);
  for (const name of [first, second, tenth]) writeFileSync(join(elsewhere.path, name ?? ""), "");
  const [made] = await backUpOnce(path, elsewhere.path, "2", /"removed an old backup".*Z-2\.db"/);
  expect(readdirSync(elsewhere.path).sort()).toEqual([tenth ?? "", basename(made?.file ?? "")]);
});

it("backups with a future time in their names are neither counted nor removed, and cause a warning", async (at) => {
  const { elsewhere, path } = at;
  await makeSqliteStore(path, 10);
  const future = ["animal-store-29990101T000000Z.db", "animal-store-29990102T000000Z.db"];
  const oldBackups = ["animal-store-20200101T000000Z.db", "animal-store-20210101T000000Z.db"];
  for (const name of [...future, ...oldBackups]) writeFileSync(join(elsewhere.path, name), "");
  const logged = await backUpOnce(path, elsewhere.path, "2", /"removed an old backup"/);
  expect(logged.map(({ level, message }) => [level, message])).toEqual([
    ["info", "backed up"],
    ["warn", "backups are named for the future, and are neither counted nor removed; check the clock"],
    ["info", "removed an old backup"],
  ]);
  expect(logged[1]).toMatchObject({ count: 2 });
  const newBackup = basename(logged[0]?.file ?? "");
  expect(readdirSync(elsewhere.path).sort()).toEqual([oldBackups[1], newBackup, ...future] as string[]);
});

test("backup --every neither replaces a backup with the same name nor removes the store itself", async () => {
  using elsewhere = temporaryFolder();
  const path = await makeSqliteStore(join(elsewhere.path, "animal-store-20200101T000000Z.db"), 10);
  const oldBackup = "animal-store-20210101T000000Z-2.db";
  writeFileSync(join(elsewhere.path, oldBackup), "");
  // Files already have the names of the next ten minutes, so the name of the backup exists whenever the backup is made.
  const takenNames = Array.from({ length: 600 }, (_, second) => backupNameAt(new Date(Date.now() + second * 1000)));
  for (const name of takenNames) writeFileSync(join(elsewhere.path, name), "");
  const [first] = await backUpOnce(path, elsewhere.path, "1", /"removed an old backup".*Z-2\.db"/);
  expect(basename(first?.file ?? "")).toMatch(/^animal-store-\d{8}T\d{6}Z-2\.db$/);
  expect(readIds(first?.file ?? "")).toHaveLength(10);
  expect(readIds(path)).toHaveLength(10);
  const remainingFiles = readdirSync(elsewhere.path);
  expect(remainingFiles).not.toContain(oldBackup);
  expect(takenNames.filter((name) => hasContent(join(elsewhere.path, name)))).toEqual([]);
});

function backupNameAt(time: Date): string {
  return `animal-store-${time.toISOString().replace(/[-:]|\.\d+/g, "")}.db`;
}

async function backUpOnce(path: string, folder: string, keep: string, end: RegExp) {
  const child = start("backup", "--every", "1h", "--keep", keep, folder, "--database", `sqlite:${path}`);
  const lines = await new LineReader(child.stderr).until(end);
  expect(await endBySignal(child, "SIGTERM")).toBe(0);
  return Array.from(lines.trim().split("\n"), (line): { level: string; message: string; file: string } =>
    JSON.parse(line),
  );
}

it("a backup overwrites an older backup, but neither a stopped nor a restored store", async ({ folder }) => {
  const [store, restored] = [join(folder.path, "store.db"), join(folder.path, "restored.db")];
  const monday = join(folder.path, "monday.db");
  await makeSqliteStore(store, 3);
  expect(await backUp(store, monday)).toMatchObject({ stderr: "", exitCode: 0 });
  expect(await restore(monday, restored)).toMatchObject({ stderr: "", exitCode: 0 });
  fillDatabase(store, 2);
  const before = readdirSync(folder.path);
  for (const other of [store, restored]) expectOneLineError(await backUp(monday, other), /is a store, not a backup/);
  expect(readdirSync(folder.path)).toEqual(before);
  expect([readIds(store).length, readIds(restored).length]).toEqual([5, 3]);
  expect(await backUp(store, monday)).toMatchObject({ stderr: "", exitCode: 0 });
  expect(readIds(monday)).toHaveLength(5);
});

it("a restore refuses a database in use, even with an empty WAL", async ({ folder }) => {
  const [path, other] = [join(folder.path, "live.db"), join(folder.path, "other.db")];
  await using _ = await RunningProgram.start(path, quiet);
  using database = new Database(path);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
  expect(statSync(`${path}-wal`).size).toBe(0);
  expectOneLineError(await restore(path, other), /live\.db is no backup but a database in use/);
  expect(existsSync(other)).toBe(false);
});

it("a restore refuses a database with a rollback journal", async ({ folder }) => {
  const [path, other] = [join(folder.path, "live.db"), join(folder.path, "other.db")];
  await makeSqliteStore(path, 3);
  using database = new Database(path);
  database.run("PRAGMA journal_mode = DELETE");
  database.run("BEGIN");
  database.run("DELETE FROM pets");
  expect(statSync(`${path}-journal`).size).toBeGreaterThan(0);
  expectOneLineError(await restore(path, other), /live\.db is no backup but a database in use/);
  expect(existsSync(other)).toBe(false);
});

it("serve, backup and restore follow symbolic links, and keep them", async ({ folder, elsewhere }) => {
  const [path, file] = [join(folder.path, "link.db"), join(folder.path, "backup.db")];
  symlinkSync(join(elsewhere.path, "animals.db"), path);
  symlinkSync(join(elsewhere.path, "kept.db"), file);
  {
    await using program = await RunningProgram.start(path, quiet);
    await program.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
    expect(await backUp(path, file)).toMatchObject({ stderr: "", exitCode: 0 });
    expectOneLineError(await restore(file, path, "--replace"), /is in use by another program/);
    await program.client.call("/v1/pets", { body: { name: "Tom", categoryId: 7 } });
    expect(readdirSync(elsewhere.path).sort()).toEqual(["animals.db", "animals.db-shm", "animals.db-wal", "kept.db"]);
    // The restore has to find changes that are only in the WAL.
    await program.signal("SIGKILL");
  }
  const { stdout } = await restore(file, path, "--replace");
  const [, keptFile = ""] = /is kept as (.*)\.\n$/.exec(stdout) ?? [];
  expect([readIds(path), readIds(keptFile)]).toEqual([[1], [1, 2]]);
  expect(readdirSync(folder.path).sort()).toEqual(["backup.db", "link.db"]);
  expect(readdirSync(elsewhere.path).sort()).toEqual(["animals.db", basename(keptFile), "kept.db"]);
});

it("an old backup that cannot be removed is logged, and the other old backups are removed", async (at) => {
  const { elsewhere, path } = at;
  await makeSqliteStore(path, 10);
  const [stuck, old] = ["animal-store-20200101T000000Z.db", "animal-store-20210101T000000Z.db"] as const;
  mkdirSync(join(elsewhere.path, stuck));
  writeFileSync(join(elsewhere.path, old), "");
  const logged = await backUpOnce(path, elsewhere.path, "1", /"removed an old backup"/);
  expect(logged.map(({ message, file }) => [message, basename(file)])).toEqual([
    ["backed up", expect.any(String)],
    ["an old backup could not be removed", stuck],
    ["removed an old backup", old],
  ]);
});

it("a restore from the file of a stopped service creates only the store", async ({ folder }) => {
  const [path, file] = [join(folder.path, "animals.db"), join(folder.path, "stopped.db")];
  await makeSqliteStore(file, 3);
  expect(await restore(file, path)).toMatchObject({ stderr: "", exitCode: 0 });
  expect(readdirSync(folder.path).sort()).toEqual(["animals.db", "stopped.db"]);
  expect(readIds(path)).toEqual([1, 2, 3]);
  const elsewhere = join(folder.path, "made", "here", "animals.db");
  expect(await restore(file, elsewhere)).toMatchObject({ stderr: "", exitCode: 0 });
  expect(readIds(elsewhere)).toEqual([1, 2, 3]);
  const modes = ["made", "made/here", "made/here/animals.db"].map((name) => statSync(join(folder.path, name)).mode);
  expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(["700", "700", "600"]);
});

it("a restore is refused while a service uses the store, and changes nothing", async ({ folder, path, file }) => {
  await makeSqliteStore(path, 3);
  await backUp(path, file);
  await using program = await RunningProgram.start(path, quiet);
  expect(await restore(file, path, "--replace")).toEqual(
    failure(`${path} is in use by another program. Stop the service first, then restore.`),
  );
  const added = await program.client.call("/v1/pets", { body: { name: "New", categoryId: 7 } });
  expect(added.json).toMatchObject({ id: 4 });
  expect(await program.signal("SIGTERM")).toBe(0);
  expect(readdirSync(folder.path).sort()).toEqual(["animals.db", "backup.db"]);
});

it("a restore is refused while another program reads a store without a WAL, and changes nothing", async (at) => {
  const { folder, path, file } = at;
  await makeSqliteStore(path, 3);
  await makeSqliteStore(file, 2);
  {
    using reader = new Database(path);
    reader.run("PRAGMA journal_mode = DELETE");
    reader.run("BEGIN");
    reader.query("SELECT count(*) FROM pets").get();
    expect(await restore(file, path, "--replace")).toEqual(
      failure(`${path} is in use by another program. Stop the service first, then restore.`),
    );
  }
  expect(readdirSync(folder.path).sort()).toEqual(["animals.db", "backup.db"]);
  expect(readIds(path)).toEqual([1, 2, 3]);
});

it("a restore replaces a store only with --replace, and keeps the old store with its WAL", async (at) => {
  const { folder, path, file } = at;
  await makeSqliteStore(path, 3);
  await backUp(path, file);
  chmodSync(file, 0o644);
  const program = await RunningProgram.start(path, quiet);
  await program.client.call("/v1/pets", { body: { name: "In the WAL alone", categoryId: 7 } });
  await program.signal("SIGKILL");
  expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);

  expect(await restore(file, path)).toEqual(
    failure(
      `${path} already exists. Use --replace to put the backup in its place; it is then kept under another name.`,
    ),
  );
  const { stdout, stderr, exitCode } = await restore(file, path, "--replace");
  expect({ stderr, exitCode }).toEqual({ stderr: "", exitCode: 0 });
  const keptFile = /^The previous store is kept as (.*)\.$/m.exec(stdout)?.[1] ?? "";
  expect(readIds(keptFile)).toEqual([1, 2, 3, 4]);
  expect(readIds(path)).toEqual([1, 2, 3]);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder.path).filter((name) => /-(wal|shm)$/.test(name))).toEqual([]);
});

test.each([
  ["damaged", (path: string) => writeFileSync(path, Buffer.alloc(8192, 7), { flag: "r+" })],
  ["gone except for its WAL", (path: string) => rmSync(path)],
])("a restore replaces a store that is %s, and keeps its remaining files", async (_, destroy) => {
  using folder = temporaryFolder();
  const [path, file] = [join(folder.path, "animals.db"), join(folder.path, "backup.db")];
  await makeSqliteStore(path, 3);
  await backUp(path, file);
  const program = await RunningProgram.start(path, quiet);
  await program.client.call("/v1/pets", { body: { name: "In the WAL alone", categoryId: 7 } });
  await program.signal("SIGKILL");
  destroy(path);
  const { stdout, exitCode } = await restore(file, path, "--replace");
  expect(exitCode).toBe(0);
  const keptFile = /^The previous store is kept as (.*)\.$/m.exec(stdout)?.[1] ?? "";
  expect(hasContent(keptFile)).toBe(true);
  expect(readdirSync(folder.path).filter((name) => /^animals\.db-/.test(name))).toEqual([]);
  await using restored = await RunningProgram.start(path, quiet);
  expect((await restored.client.call("/v1/store/inventory")).json).toEqual({ available: 1, pending: 1, sold: 1 });
});

it("a restore migrates a backup of an older version", async ({ folder }) => {
  const [path, file] = [join(folder.path, "animals.db"), join(folder.path, "old.db")];
  makeOldSqliteStore(file);
  expect(await restore(file, path)).toMatchObject({ stderr: "", exitCode: 0 });
  expect((await check(path)).exitCode).toBe(0);
});

describe("refused files and arguments", () => {
  type Prepare = (paths: { path: string; file: string; folder: string }) => unknown;
  const make =
    (change: (file: string) => unknown): Prepare =>
    async ({ file }) => {
      await makeSqliteStore(file, 1_000);
      await change(file);
    };
  const run = (file: string, sql: string) => {
    using database = new Database(file);
    database.run(sql);
  };

  test.each<[what: string, prepare: Prepare, complaint: RegExp]>([
    ["that does not exist", () => {}, /does not exist\. Choose a backup\.$/],
    ["that is empty", ({ file }) => writeFileSync(file, ""), /is empty\. Choose a backup\.$/],
    [
      "that is not a database",
      ({ file }) => writeFileSync(file, "x".repeat(999)),
      /is not an animal-store database\. Choose a backup\.$/,
    ],
    [
      "that belongs to another program",
      ({ file }) => run(file, "CREATE TABLE t (a)"),
      /not one of animal-store\. Choose a backup\.$/,
    ],
    ["that is cut off", make((file) => writeFileSync(file, readFileSync(file).subarray(0, 40_000))), /is damaged/],
    ["that is damaged", make((file) => writeFileSync(file, damage(readFileSync(file)))), /damaged|not as it should be/],
    ["from a newer version", make((file) => run(file, newer)), /was written by a newer version/],
    ["whose inventory is wrong", make((file) => run(file, "UPDATE inventory SET count = 5")), /The inventory has/],
    ["with a foreign trigger", make((file) => run(file, foreignTrigger)), /not as it should be: .*: "stray"\. /],
    ["that is the store", ({ path, file }) => makeSqliteStore(path).then(() => symlinkSync(path, file)), /itself/],
  ])("restore from a backup %s fails with a one-line error and exit code 2", async (_, prepare, complaint) => {
    using folder = temporaryFolder();
    const [path, file] = [join(folder.path, "animals.db"), join(folder.path, "backup.db")];
    await prepare({ path, file, folder: folder.path });
    const before = readdirSync(folder.path);
    expectOneLineError(await restore(file, path, "--replace"), complaint);
    expect(readdirSync(folder.path)).toEqual(before);
  });

  test.each<[args: string, complaint: RegExp]>([
    ["backup", /must be followed by one file/],
    ["backup a b", /backup a does not take "b"/],
    ["backup --keep 3 FOLDER/b.db", /--keep needs --every/],
    ["backup --every 0 FOLDER", /--every must be a time such as/],
    ["backup --every 1h FOLDER/none", /is not a folder/],
    ["backup FOLDER", /is a folder/],
    ["backup FOLDER/pipe", /is not a file/],
    ["backup FOLDER/none/b.db", /is not a folder/],
    ["backup FOLDER/none/../b.db", /\/none is not a folder/],
    ["backup FOLDER/animals.db", /belongs to the database itself/],
    ["backup FOLDER/animals.db-wal", /belongs to the database itself/],
    ["backup FOLDER/link.db", /belongs to the database itself/],
    ["backup FOLDER/photo.jpg", /is not an animal-store database/],
    ["backup FOLDER/b.db --database sqlite:FOLDER/no.db", /does not exist/],
    ["backup FOLDER/b.db --database postgres://u@h/d", /PostgreSQL, use its own tools.*docs\/runbook\.md/],
    ["restore", /must be followed by one file/],
    ["restore FOLDER/pipe", /\/pipe is not a file\. Choose a backup\.$/],
    ["restore FOLDER/b.db --database postgres://u@h/d", /PostgreSQL, use its own tools.*docs\/runbook\.md/],
    ["check --database sqlite:FOLDER/no.db", /does not exist/],
  ])("%s fails with a one-line error and exit code 2", async (args, complaint) => {
    using folder = temporaryFolder();
    const path = await makeSqliteStore(join(folder.path, "animals.db"), 1);
    symlinkSync(path, join(folder.path, "link.db"));
    writeFileSync(join(folder.path, "photo.jpg"), "not ours");
    Bun.spawnSync(["mkfifo", join(folder.path, "pipe")]);
    const before = readdirSync(folder.path);
    const givenArgs = args.replaceAll("FOLDER", folder.path).split(" ");
    expectOneLineError(await runProgram(givenArgs, { environment: { DATABASE_URL: `sqlite:${path}` } }), complaint);
    expect(readdirSync(folder.path)).toEqual(before);
    expect(readIds(path)).toEqual([1]);
    expect(readFileSync(join(folder.path, "photo.jpg"), "utf8")).toBe("not ours");
    expect(statSync(join(folder.path, "pipe")).isFIFO()).toBe(true);
  });
});

function backUp(path: string, file: string) {
  return runProgram(["backup", file, "--database", `sqlite:${path}`]);
}

function restore(file: string, path: string, ...args: string[]) {
  return runProgram(["restore", file, "--database", `sqlite:${path}`, ...args]);
}

function check(path: string) {
  return runProgram(["check", "--database", `sqlite:${path}`]);
}

function start(...args: string[]) {
  return Bun.spawn([...programCommand, ...args], { env: process.env, stdout: "pipe", stderr: "pipe" });
}

function listPartialFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /\.partial-[\w-]*[0-9a-f]{8}$/.test(name))
    .sort();
}

function hasContent(file: string): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

function readIds(file: string): number[] {
  using database = new Database(file);
  return database
    .query<{ id: number }, []>("SELECT id FROM pets ORDER BY id")
    .all()
    .map(({ id }) => id);
}

function readSchema(file: string): unknown[] {
  using database = new Database(file);
  return database.query("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY name").all();
}

const foreignTrigger = "CREATE TRIGGER stray AFTER INSERT ON orders BEGIN UPDATE pets SET name = 'x'; END";
const newer = "INSERT INTO migrations (version, name, applied_at, oldest_program) VALUES (99, 'x', 0, 99)";

/** Damages pages of the tables, but neither the header nor the schema. */
function damage(bytes: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, 60_000), Buffer.alloc(20_000, 7), bytes.subarray(80_000)]);
}

function expectOneLineError(result: { stdout: string; stderr: string; exitCode: number }, complaint: RegExp): void {
  expect(result).toMatchObject({ stdout: "", exitCode: 2 });
  expect(result.stderr).toMatch(/^animal-store: [^\n]+\n$/);
  expect(result.stderr.trimEnd()).toMatch(complaint);
}
