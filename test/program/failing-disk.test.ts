import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, existsSync, openSync, readSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { fillDatabase } from "../support/animals.ts";
import { compilePreload } from "../support/preload.ts";
import { RunningProgram, runProgram } from "../support/program.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

const rex = { name: "Rex", categoryId: 1 };

/** A library that makes calls fail with EIO. The file DISK_FAULT names the call, a path suffix, and which calls fail. */
const shimSource = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
typedef long (*System)(long, ...);
static System own_syscall(void) {
  static System own;
  if (!own) own = dlsym(RTLD_NEXT, "syscall");
  return own;
}
static int fails(const char *call, const char *path) {
  static int calls, done;
  char order[256] = "", name[64] = "", end[128] = "";
  int count = 0, before = 0;
  int file = own_syscall()(SYS_openat, AT_FDCWD, getenv("DISK_FAULT"), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  own_syscall()(SYS_read, file, order, sizeof order - 1);
  own_syscall()(SYS_close, file);
  if (sscanf(order, "%63s %127s %d %d", name, end, &count, &before) != 4 || strcmp(name, call)) return 0;
  if (strlen(path) < strlen(end) || strcmp(path + strlen(path) - strlen(end), end)) return 0;
  if (__sync_add_and_fetch(&calls, 1) <= before) return 0;
  if (__sync_add_and_fetch(&done, 1) >= count) {
    done = 0;
    own_syscall()(SYS_unlink, getenv("DISK_FAULT"));
  }
  errno = EIO;
  return 1;
}
static int fails_on(const char *call, int file) {
  char link[64], path[4096] = "";
  sprintf(link, "/proc/self/fd/%d", file);
  if (readlink(link, path, sizeof path - 1) < 0) return 0;
  return fails(call, path);
}
${["pread", "pread64"]
  .map(
    (name) => `ssize_t ${name}(int file, void *bytes, size_t size, off64_t at) {
  static ssize_t (*own)(int, void *, size_t, off64_t);
  if (!own) own = dlsym(RTLD_NEXT, "${name}");
  return fails_on("read", file) ? -1 : own(file, bytes, size, at);
}`,
  )
  .join("\n")}
${["fcntl", "fcntl64"]
  .map(
    (name) => `int ${name}(int file, int command, ...) {
  static int (*own)(int, int, ...);
  if (!own) own = dlsym(RTLD_NEXT, "${name}");
  va_list list;
  va_start(list, command);
  void *argument = va_arg(list, void *);
  va_end(list);
  if (command == F_SETLK) {
    struct flock *lock = argument;
    if (fails_on(lock->l_type == F_UNLCK ? "unlock" : "lock", file)) return -1;
    if (lock->l_type == F_UNLCK && lock->l_start == 120 && fails_on("unlock-writers", file)) return -1;
  }
  return own(file, command, argument);
}`,
  )
  .join("\n")}
long syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_statx && fails("stat", (const char *)a[1])) return -1;
  return own_syscall()(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
`;

const libraryFolder = temporaryFolder();
afterAll(() => libraryFolder[Symbol.dispose]());
const environment = compilePreload(libraryFolder.path, shimSource);
const skipSuffix = typeof environment === "string" ? ` (skipped: ${environment})` : "";

/** Makes a store that is too large for the caches and for the check at startup. */
async function makeLargeStore(path: string): Promise<void> {
  await makeSqliteStore(path);
  fillDatabase(path, 20_000, ` ${"x".repeat(240)}`);
  using database = new Database(path);
  database.run("PRAGMA wal_checkpoint(TRUNCATE)");
}

function makeFailingDisk(path: string) {
  const orderFile = `${path}.order`;
  return {
    environment: { ...(environment as Record<string, string>), DISK_FAULT: orderFile },
    fail: (call: string, end: string, count = 1, before = 0) =>
      writeFileSync(orderFile, `${call} ${end} ${count} ${before}`),
    hasFailed: () => !existsSync(orderFile),
    heal: () => rmSync(orderFile, { force: true }),
  };
}

async function stopAndReadLog(program: RunningProgram): Promise<string[]> {
  expect(await program.signal("SIGTERM")).toBe(0);
  return await program.readLogMessages();
}

const nothingSavedError = {
  code: "ServiceUnavailable",
  message: "The store cannot be reached now. Nothing was saved; try again.",
  status: 503,
};

const reopenedMessage = "the disk reported an error: a lock could not be released, so the database is opened again";
const diskErrorMessage = expect.stringMatching(/^the disk reported an error: SQLITE_IOERR/);

describe.skipIf(skipSuffix !== "")(`a service whose disk reports errors${skipSuffix}`, () => {
  test.each(
    ["animals.db", "animals.db-wal"].flatMap((end) => [1, 2, 3, 10, 1_000_000].map((count) => [end, count] as const)),
  )("the service recovers after reads of %s fail %d times, and does not advise a restore", async (end, count) => {
    using folder = temporaryFolder();
    const path = join(folder.path, "animals.db");
    await makeLargeStore(path);
    const { environment, fail, heal } = makeFailingDisk(path);
    await using program = await RunningProgram.start(path, { args: ["--log-level", "error"], environment });
    const { client } = program;
    for (let id = 14_000; id < 14_050; id++) {
      await client.call(`/v1/pets/${id}`, { method: "PATCH", body: { name: "Max" } });
    }
    fail("read", end, count);
    const responses = [
      await client.call("/v1/pets?id=15000"),
      await client.call("/v1/pets?id=14025"),
      await client.call("/v1/pets/9000", { method: "PATCH", body: { name: "Max" } }),
      await client.call("/v1/export"),
      await client.call("/readyz"),
    ];
    for (const { status } of responses) expect([200, 503]).toContain(status);
    if (end === "animals.db" && count > 100) expect(responses[2]?.json).toEqual(nothingSavedError);
    heal();
    await until(async () => (await client.call("/readyz")).status === 200);
    expect((await client.call("/v1/pets?id=15000")).status).toBe(200);
    expect((await client.call("/v1/pets", { body: rex })).status).toBe(201);
    expect(await stopAndReadLog(program)).toEqual([diskErrorMessage]);
  });

  test.each(["unlock-writers", "unlock", "lock"])(
    "the service can write again after a system call for its locks has failed (%s)",
    async (call) => {
      using folder = temporaryFolder();
      const path = join(folder.path, "animals.db");
      const { environment, fail, hasFailed } = makeFailingDisk(path);
      await using program = await RunningProgram.start(path, { args: ["--log-level", "error"], environment });
      const { client } = program;
      let acknowledged = 0;
      fail(call, "animals.db-shm");
      const create = async () => {
        const { status, json } = await client.call("/v1/pets", { body: rex });
        if (status === 201) acknowledged++;
        else expect(json).toEqual(nothingSavedError);
        return status === 201;
      };
      await until(async () => (await create()) && hasFailed());
      await until(create);
      expect((await client.call("/readyz")).status).toBe(200);
      expect((await client.call("/v1/pets?limit=100")).json).toHaveLength(acknowledged);
      await client.call("/v1/pets?limit=100");
      await until(create);
      expect((await client.call("/v1/pets?limit=100")).json).toHaveLength(acknowledged);
      expect(await stopAndReadLog(program)).toEqual(call === "unlock-writers" ? [reopenedMessage] : []);
    },
  );

  test("the service recovers after it could not release several locks, including locks of readers", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "animals.db");
    const { environment, fail } = makeFailingDisk(path);
    await using program = await RunningProgram.start(path, { args: ["--log-level", "error"], environment });
    const { client } = program;
    expect((await client.call("/v1/pets", { body: rex })).status).toBe(201);
    fail("unlock", "animals.db-shm", 3);
    await until(async () => (await client.call("/v1/pets")).status === 503);
    await until(async () => (await client.call("/readyz")).status === 200);
    expect((await client.call("/v1/pets", { body: rex })).status).toBe(201);
    expect((await client.call("/v1/pets")).json).toHaveLength(2);
    expect(await stopAndReadLog(program)).toEqual([reopenedMessage]);
  });

  test("the service refuses writes when its files cannot be examined before a commit", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "animals.db");
    const { environment, fail } = makeFailingDisk(path);
    await using program = await RunningProgram.start(path, { args: ["--log-level", "error"], environment });
    for (const end of ["animals.db", "animals.db-wal"]) {
      fail("stat", end);
      expect((await program.client.call("/v1/pets", { body: rex })).json).toEqual(nothingSavedError);
    }
    expect((await program.client.call("/v1/pets", { body: rex })).json).toMatchObject({ id: 1 });
    expect(await stopAndReadLog(program)).toEqual([expect.stringMatching(/^the disk reported an error: EIO: /)]);
  });
});

test
  .skipIf(skipSuffix !== "")
  .each(
    ["check", "keys list", "backup BACKUP", "doctor"].flatMap((command) =>
      [0, 3, 10, 30, 60].flatMap((before) => [1, 1_000_000].map((count) => [command, count, before] as const)),
    ),
  )(
  `%s does not advise restoring a backup if %d reads of the file fail after %d successful ones${skipSuffix}`,
  async (command, count, before) => {
    using folder = temporaryFolder();
    const path = await makeSqliteStore(join(folder.path, "animals.db"), 10_000);
    const { environment, fail } = makeFailingDisk(path);
    const args = command.replace("BACKUP", join(folder.path, "backup.db")).split(" ");
    fail("read", "animals.db", count, before);
    const { stdout, stderr, exitCode } = await runProgram([...args, "--database", `sqlite:${path}`], { environment });
    expect(`${stdout}${stderr}`).not.toMatch(/damaged \(|restore/i);
    if (exitCode !== 0) expect(`${stdout}${stderr}`).toContain("the disk reported an error");
  },
);

test("a service continues to write after a crash has left an inconsistent index of the WAL", async () => {
  await using program = await RunningProgram.startNew({ args: ["--log-level", "error"] });
  for (let count = 0; count < 3; count++) await program.client.call("/v1/pets", { body: rex });
  // The second copy of the header is at byte 48; its word 4 counts the frames of the WAL.
  overwrite(`${program.path}-shm`, 48 + 4 * 4, (frames) => frames + 1);
  expect((await program.client.call("/v1/pets", { body: rex })).json).toMatchObject({ id: 4 });
  expect((await program.client.call("/readyz")).status).toBe(200);
  expect((await program.client.call("/v1/pets")).json).toHaveLength(4);
  expect(await stopAndReadLog(program)).toEqual([]);
});

function overwrite(path: string, at: number, change: (word: number) => number): void {
  const file = openSync(path, "r+");
  const word = new Uint32Array(1);
  readSync(file, word, 0, 4, at);
  writeSync(file, word.map(change), 0, 4, at);
  closeSync(file);
}
