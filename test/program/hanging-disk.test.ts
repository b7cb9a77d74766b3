import { afterAll, describe, expect, test } from "bun:test";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../support/client.ts";
import { compilePreload } from "../support/preload.ts";
import { RunningProgram, runProgram } from "../support/program.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

const rex = { name: "Rex", categoryId: 1 };

/** A library that makes flushes hang while the file DISK_ORDER exists (or fail if it starts with f), and corrupts the text DISK_SPOILS. */
const shimSource = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int obey(void) {
  const char *order = getenv("DISK_ORDER");
  FILE *file;
  while ((file = fopen(order, "r"))) {
    int word = fgetc(file);
    fclose(file);
    if (word == 'f') { errno = EIO; return -1; }
    usleep(5000);
  }
  return 0;
}
${["fsync", "fdatasync"]
  .map(
    (name) =>
      `int ${name}(int file) { static int (*own)(int); if (!own) own = dlsym(RTLD_NEXT, "${name}"); return obey() ? -1 : own(file); }`,
  )
  .join("\n")}
static void spoil(char *bytes, size_t size) {
  static int isDone;
  const char *text = getenv("DISK_SPOILS");
  char *found = text && !isDone ? memmem(bytes, size, text, strlen(text)) : NULL;
  if (found) isDone = *found = 'x';
}
${["pwrite", "pwrite64"]
  .map(
    (name) => `ssize_t ${name}(int file, const void *bytes, size_t size, off64_t at) {
  static ssize_t (*own)(int, const void *, size_t, off64_t);
  if (!own) own = dlsym(RTLD_NEXT, "${name}");
  char copy[size];
  memcpy(copy, bytes, size);
  spoil(copy, size);
  return own(file, copy, size, at);
}`,
  )
  .join("\n")}
`;

const libraryFolder = temporaryFolder();
afterAll(() => libraryFolder[Symbol.dispose]());
const environment = compilePreload(libraryFolder.path, shimSource);
const skipSuffix = typeof environment === "string" ? ` (skipped: ${environment})` : "";

async function start(path: string, ...args: string[]) {
  const orderFile = `${path}.order`;
  const program = await RunningProgram.start(path, {
    args,
    environment: { ...(environment as Record<string, string>), DISK_ORDER: orderFile },
  });
  return {
    program,
    giveOrder: (word: "hang" | "fail") => writeFileSync(orderFile, word),
    release: () => rmSync(orderFile, { force: true }),
  };
}

async function untilStatus(client: Client, path: string, status: number): Promise<void> {
  await until(async () => (await client.call(path)).status === status);
}

describe.skipIf(skipSuffix !== "")(`a disk that hangs${skipSuffix}`, () => {
  test.concurrent("a hanging disk makes the service unready and rejects writes in time, while reads continue, until it recovers", async () => {
    using folder = temporaryFolder();
    const { program, giveOrder, release } = await start(join(folder.path, "animals.db"), "--log-level", "off");
    await using _ = program;
    const { client } = program;
    await client.call("/v1/pets", { body: rex });
    giveOrder("hang");
    const [stuck, waiting] = [client.call("/v1/pets", { body: rex }), client.call("/v1/pets", { body: rex })];
    expect((await client.call("/readyz")).status).toBe(200);
    await untilStatus(client, "/readyz", 503);
    expect((await client.call("/readyz/writes")).status).toBe(503);
    expect((await client.call("/readyz/reads")).status).toBe(200);
    expect((await client.call("/v1/pets")).status).toBe(200);
    expect((await client.call("/healthz")).status).toBe(200);
    const nothingSavedError = {
      code: "ServiceUnavailable",
      message: "The store is too slow now. Nothing was saved; try again.",
      status: 503,
    };
    expect((await waiting).json).toEqual(nothingSavedError);
    const late = await client.call("/v1/pets", { body: rex });
    expect([late.json, late.headers.get("retry-after")]).toEqual([nothingSavedError, "1"]);
    expect((await stuck).json).toEqual({
      code: "ServiceUnavailable",
      message: "The store did not respond in time. It is not known whether the request was carried out.",
      status: 503,
    });
    release();
    await untilStatus(client, "/readyz", 200);
    // The id 3 shows that the write in flight was saved after all, and that the two rejected writes were not.
    expect((await client.call("/v1/pets", { body: rex })).json).toMatchObject({ id: 3 });
    expect(await program.signal("SIGTERM")).toBe(0);
  });

  test.concurrent("a stop on a hanging disk ends within its time limits, and the exit code reports the failure", async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, "animals.db");
    const { program, giveOrder } = await start(path, "--log-level", "error");
    await using _ = program;
    const { json } = await program.client.call("/v1/pets", { body: rex });
    giveOrder("hang");
    const stuck = program.client.call("/v1/pets", { body: rex }).catch((error: Error) => error);
    // The response to a later request shows that the write has reached the writer thread.
    await program.client.call("/healthz");
    expect(await program.signal("SIGTERM")).toBe(1);
    expect(await stuck).toBeInstanceOf(Error);
    expect(await program.readLogMessages()).toEqual([
      "stopped before the store was closed: writes in progress may or may not have been saved",
    ]);
    await using again = await RunningProgram.start(path);
    expect((await again.client.call("/v1/pets?limit=1")).json).toEqual([json]);
  });

  test.concurrent("a hanging disk does not block a command indefinitely, and the command says that the outcome is unknown", async () => {
    using folder = temporaryFolder();
    const path = await makeSqliteStore(join(folder.path, "animals.db"));
    writeFileSync(`${path}.order`, "hang");
    const result = await runProgram(["keys", "create", "--name", "me", "--database", `sqlite:${path}`], {
      environment: { ...(environment as Record<string, string>), DISK_ORDER: `${path}.order` },
    });
    expect(result).toEqual({
      stdout: "",
      stderr:
        "animal-store: The database did not close in time.\nanimal-store: The store did not respond in time. It is not known whether the request was carried out. (no answer within 15000 ms)\n",
      exitCode: 3,
    });
  });
});

test.skipIf(skipSuffix !== "")(`a write whose flush fails gets 503 with an unknown outcome${skipSuffix}`, async () => {
  using folder = temporaryFolder();
  const { program, giveOrder, release } = await start(join(folder.path, "animals.db"), "--log-level", "off");
  await using _ = program;
  giveOrder("fail");
  expect((await program.client.call("/v1/pets", { body: rex })).json).toEqual({
    code: "ServiceUnavailable",
    message: "The store did not respond in time. It is not known whether the request was carried out.",
    status: 503,
  });
  release();
  expect((await program.client.call("/v1/pets", { body: rex })).status).toBe(201);
  expect((await program.client.call("/readyz")).status).toBe(200);
});

test.skipIf(skipSuffix !== "")(
  `a backup is verified, and fails if the disk has not stored what was written${skipSuffix}`,
  async () => {
    using folder = temporaryFolder();
    const path = await makeSqliteStore(join(folder.path, "animals.db"), 3);
    const result = await runProgram(["backup", join(folder.path, "backup.db"), "--database", `sqlite:${path}`], {
      environment: { ...(environment as Record<string, string>), DISK_ORDER: `${path}.order`, DISK_SPOILS: "Animal 2" },
    });
    expect(result).toEqual({
      stdout: "",
      stderr: expect.stringMatching(/^animal-store: The backup could not be made: the copy is damaged: .*\n$/),
      exitCode: 2,
    });
    expect(readdirSync(folder.path)).toEqual(["animals.db"]);
  },
);
