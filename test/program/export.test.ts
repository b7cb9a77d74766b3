import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { maxGrowthBytes } from "../../src/store/sqlite/export.ts";
import { sizeOf, walOf } from "../../src/store/sqlite/file/database-files.ts";
import { endBySignal, programKey, RunningProgram, spawn } from "../support/program.ts";
import { makeSqliteStore } from "../support/sqlite-stores.ts";
import { temporaryFolder } from "../support/temporary.ts";

/** Number of animals whose export exceeds the buffers between the database and the reader. */
const animalCount = 300_000;

test("an export that is cut off because the WAL has grown too much fails with a one-line error that gives the reason", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  await makeSqliteStore(path, animalCount);
  using other = new Database(path);
  other.run("INSERT INTO categories (id, name) VALUES (1, 'Dogs')");
  await using exporting = await beginExport(["--database", `sqlite:${path}`]);
  // Enlarging the WAL simulates many writes during the export.
  truncateSync(walOf(path), sizeOf(walOf(path)) + maxGrowthBytes + 1);
  expect(await exporting.end()).toEqual({
    exitCode: 1,
    stderr: "animal-store: The export was cut off, because much was written while it was read. Try again.\n",
  });
});

test("an export from a killed service fails with a one-line error", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  await makeSqliteStore(path, animalCount);
  await using service = await RunningProgram.start(path);
  await using exporting = await beginExport(["--url", service.client.url.href]);
  await service.signal("SIGKILL");
  const { exitCode, stderr } = await exporting.end();
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/^animal-store: The service could not be reached, or the connection broke: [^.\n]+\.\n$/);
});

/** Starts an export, reads the first animals, and then stops reading until `end` is called. */
async function beginExport(args: readonly string[]) {
  const child = spawn(["export", ...args], { environment: { ANIMAL_STORE_API_KEY: programKey } });
  const reader = child.stdout.getReader();
  await reader.read();
  return {
    async end() {
      const stderr = child.stderr.text();
      // A blocked export notices a broken connection only once its output is read.
      while (!(await reader.read()).done);
      return { exitCode: await child.exited, stderr: await stderr };
    },
    async [Symbol.asyncDispose]() {
      await endBySignal(child, "SIGKILL");
    },
  };
}
