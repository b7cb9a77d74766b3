import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { sizeOf } from "../../src/store/sqlite/file/database-files.ts";
import { wasUsedAsStore } from "../../src/store/sqlite/file/examine.ts";
import { mountSkipReason, testUnless } from "../support/conditional-test.ts";
import { programInShell, RunningProgram, runCommand, runProgram, spawn, spawnOnTerminal } from "../support/program.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { testWith } from "../support/test-with.ts";
import { until } from "../support/wait.ts";

const it = testWith(temporaryFolder);

const killCount = Number(process.env["KILLS"] ?? 3);
const quiet = { args: ["--log-level", "off"] };

it("compact frees the space of deleted data, and says how much space it needs", async (folder) => {
  const path = await makeSparseStore(folder.path, 20_000);
  const before = sizeOf(path);
  const { stdout, stderr, exitCode } = await compact(path);
  const after = sizeOf(path);
  expect({ stdout, exitCode }).toEqual({
    stdout: `Compacted ${path}: ${after} bytes, ${before - after} bytes less than before.\n`,
    exitCode: 0,
  });
  const [, needed] = /^Compacting takes up to (\d+) bytes in its folder, where \d+ are free\.\n$/.exec(stderr) ?? [];
  expect(Number(needed)).toBeGreaterThanOrEqual(after);
  expect(after).toBeLessThan(before / 4);
  expect([wasUsedAsStore(path), statSync(path).mode & 0o777]).toEqual([true, 0o600]);
  expect(readdirSync(folder.path)).toEqual(["animals.db"]);
  await requireIntact(path, 2_000);
});

it("compact is refused while a service uses the store, and changes nothing", async (folder) => {
  const path = await makeSparseStore(folder.path, 100);
  await using program = await RunningProgram.start(path, quiet);
  const { ino } = statSync(path);
  expect(await compact(path)).toEqual({
    stdout: "",
    stderr: `animal-store: ${path} is in use by another program. Stop the service first, then compact.\n`,
    exitCode: 2,
  });
  expect((await program.client.call("/v1/pets", { body: { name: "New", categoryId: 7 } })).status).toBe(201);
  expect(statSync(path).ino).toBe(ino);
});

it("a service does not start while its store is compacted", async (folder) => {
  const path = await makeSqliteStore(join(folder.path, "animals.db"), 300_000);
  const child = spawn(["compact", "--database", `sqlite:${path}`]);
  // Pauses the process for each check, because the process could otherwise finish right after the check.
  await until(() => {
    child.kill("SIGSTOP");
    const isCopying = hasPartialFile(folder.path);
    if (!isCopying) child.kill("SIGCONT");
    return isCopying;
  });
  const { stderr, exitCode } = await runProgram(["serve", "--port", "0", "--database", `sqlite:${path}`]);
  expect({ stderr, exitCode }).toEqual({
    stderr: `animal-store: ${path} is locked by another program. Stop that program, then start again.\n`,
    exitCode: 2,
  });
  child.kill("SIGCONT");
  expect(await child.exited).toBe(0);
  await requireIntact(path, 300_000);
});

test("compact loses nothing when it is killed at any time", async () => {
  for (let round = 0; round <= killCount; round++) {
    using folder = temporaryFolder();
    const path = await makeSparseStore(folder.path, 100_000);
    const { ino } = statSync(path);
    const child = spawn(["compact", "--database", `sqlite:${path}`]);
    // The killCount cover the time from the start of the copy until the copy has replaced the store.
    const isDone = () => statSync(path).ino !== ino;
    await until(() => hasPartialFile(folder.path) || isDone());
    const share = round / killCount;
    await until(() => measureCopiedBytes(folder.path) >= share * expectedCopyBytes || isDone());
    if (share === 1) await until(isDone);
    child.kill("SIGKILL");
    await child.exited;
    {
      await using program = await RunningProgram.start(path, quiet);
      expect((await program.client.call("/v1/pets", { body: { name: "New", categoryId: 7 } })).status).toBe(201);
      expect(await program.signal("SIGTERM")).toBe(0);
    }
    expect(readdirSync(folder.path)).toEqual(["animals.db"]);
    await requireIntact(path, 10_001);
  }
});

it("compact shows its progress, and changes nothing when it is interrupted", async (folder) => {
  const path = await makeSqliteStore(join(folder.path, "animals.db"), 400_000);
  const compacting = spawnOnTerminal(["compact", "--database", `sqlite:${path}`]);
  await until(() => compacting.shown().includes("Compacting ["));
  compacting.type("\x03");
  const { shown, exitCode } = await compacting.ended();
  expect(exitCode).toBe(130);
  expect(shown.trimEnd().split("\n").at(-1)).toBe("animal-store: Stopped by SIGINT. Nothing was changed.");
  expect([readdirSync(folder.path), wasUsedAsStore(path)]).toEqual([["animals.db"], true]);
  await requireIntact(path, 400_000);
});

test("compact refuses a PostgreSQL database with a one-line error", async () => {
  expect(await runProgram(["compact", "--database", "postgres://user@localhost/animals"])).toEqual({
    stdout: "",
    stderr: "animal-store: compact is for a SQLite file. For PostgreSQL, use its own tools: see docs/runbook.md.\n",
    exitCode: 2,
  });
});

testUnless(
  mountSkipReason(),
  "compact is refused without enough free space, and does not change the store",
  async () => {
    using folder = temporaryFolder();
    using disk = temporaryFolder();
    const path = await makeSparseStore(folder.path, 100_000);
    const store = join(disk.path, "animals.db");
    const free = Math.ceil(sizeOf(path) / 1024) + 512;
    const script = [
      `mount -t tmpfs -o size=${free}k none ${disk.path}`,
      `cp ${path} ${store}`,
      `${programInShell} compact --database sqlite:${store}`,
      `echo "exit code $?"`,
      `${programInShell} check --database sqlite:${store} | grep -v ^ok`,
      `ls ${disk.path}`,
    ].join("; ");
    const { stdout, stderr } = await runCommand(["unshare", "-rm", "sh", "-c", script]);
    expect(stderr).toMatch(
      /^animal-store: \S+ cannot be compacted: that takes up to \d+ bytes in its folder, where \d+ are free\. Free some space, then try again\.\n$/,
    );
    expect(stdout).toBe("exit code 2\nanimals.db\n");
  },
);

function compact(path: string) {
  return runProgram(["compact", "--database", `sqlite:${path}`]);
}

/** Makes a store in which nine of ten animals were deleted. */
async function makeSparseStore(folder: string, count: number): Promise<string> {
  const path = join(folder, "animals.db");
  await makeSqliteStore(path, count);
  using database = new Database(path);
  database.run("DELETE FROM pets WHERE id % 10 <> 0");
  return path;
}

const expectedCopyBytes = 900_000;

function measureCopiedBytes(folder: string): number {
  return Math.max(0, ...listPartialFiles(folder).map((name) => sizeOf(join(folder, name))));
}

function hasPartialFile(folder: string): boolean {
  return listPartialFiles(folder).length > 0;
}

function listPartialFiles(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => name.includes(".partial-")) : [];
}

async function requireIntact(path: string, animalCount: number): Promise<void> {
  const { stdout, exitCode } = await runProgram(["check", "--database", `sqlite:${path}`]);
  expect(stdout.split("\n").filter((line) => line !== "" && !line.startsWith("ok"))).toEqual([]);
  expect(exitCode).toBe(0);
  using database = new Database(path);
  expect(database.query("SELECT count(*) AS count FROM pets").get()).toEqual({ count: animalCount });
}
