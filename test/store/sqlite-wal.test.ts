import { expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { replay } from "../../src/store/replay.ts";
import { defaultWalBytes } from "../../src/store/sqlite/connection/connect.ts";
import { maxGrowthBytes } from "../../src/store/sqlite/export.ts";
import { sizeOf, walOf } from "../../src/store/sqlite/file/database-files.ts";
import { openUnchanged } from "../../src/store/sqlite/file/examine.ts";
import { createReplaySource } from "../../src/store/sqlite/replay.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store, StoreTelemetry } from "../../src/store/store.ts";
import type { StoreOptions } from "../../src/store/telemetry.ts";
import { linuxSkipReason, testUnless } from "../support/conditional-test.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

test("an export restarts a long WAL first, and is refused while another export reads the WAL", async () => {
  using file = makeStoreFile();
  const store = await file.open();
  const longExport = await holdExport(store);
  const count = await addUntilLong(store, file.walBytes);
  const overlapping = store.export({ onBegin() {}, async onPets() {} });
  await expect(overlapping).rejects.toMatchObject({ code: "TooManyRequests", retryAfterSeconds: 5 });
  expect(await longExport.finish()).toBe(1);
  const nextExport = await holdExport(store);
  await store.pets.create(animal);
  expect(file.walBytes()).toBeLessThan(defaultWalBytes);
  // Once the WAL is short, exports may overlap again.
  await (await holdExport(store)).finish();
  expect(await nextExport.finish()).toBe(count);
  await store.close();
});

test("an export is cut off and logged if the WAL grows too long meanwhile", async () => {
  const logged: string[] = [];
  using file = makeStoreFile();
  const store = await file.open((_, message) => logged.push(message));
  await store.pets.createAll(Array.from({ length: 1_000 }, () => animal));
  const slowExport = await holdExport(store);
  file.growWal(maxGrowthBytes);
  await expect(slowExport.finish()).rejects.toThrow("cut off");
  expect(logged).toEqual(["an export was cut off, because much was written while it was read"]);
  await store.pets.create(animal);
  expect(await (await holdExport(store)).finish()).toBe(1_002);
  await store.close();
});

test("an export whose client does not read is also cut off if the WAL grows too long", async () => {
  const logged: string[] = [];
  using file = makeStoreFile();
  const store = await file.open((_, message) => logged.push(message));
  const { exported } = await holdExport(store);
  file.growWal(maxGrowthBytes);
  await expect(exported).rejects.toThrow("cut off");
  expect(logged).toEqual(["an export was cut off, because much was written while it was read"]);
  await store.close();
});

test("the space of a WAL that grew during an export is freed after the export", async () => {
  using file = makeStoreFile();
  const store = await file.open();
  const longExport = await holdExport(store);
  const count = await addUntilLong(store, file.walBytes);
  await longExport.finish();
  await until(async () => {
    await store.pets.create(animal);
    return file.walBytes() <= defaultWalBytes;
  });
  expect((await store.pets.list({}, { limit: 1, after: count - 1 })).items).toMatchObject([{ id: count }]);
  await store.close();
});

testUnless(linuxSkipReason("/proc/locks"), "the reader of a long WAL is logged once", async () => {
  using file = makeStoreFile();
  const logged: object[] = [];
  const store = await file.open((level, message, fields) => logged.push({ level, message, ...fields }));
  const script = `
    const database = new (require("bun:sqlite").Database)(process.argv.at(-1));
    database.run("BEGIN");
    database.query("SELECT count(*) FROM pets").get();
    console.log("reading");
    process.stdin.resume();`;
  await using other = Bun.spawn([process.execPath, "-e", script, file.path], { stdin: "pipe", stdout: "pipe" });
  await other.stdout.getReader().read();
  const longExport = await holdExport(store);
  const note = (fields: object) => ({
    level: "warn",
    message: "a read transaction keeps the WAL from being started over",
    walBytes: expect.any(Number),
    ...fields,
  });
  await store.pets.create(animal);
  await store.deleteExpired(Date.now());
  file.growWal(4 * defaultWalBytes);
  for (let round = 0; round < 2; round++) await store.deleteExpired(Date.now());
  const name = expect.stringMatching(/bun/);
  const startNote = expect.objectContaining({ cause: "the service has just started" });
  expect(logged).toHaveLength(3);
  expect(logged).toEqual(
    expect.arrayContaining([
      startNote,
      note({ transaction: "export", pid: process.pid }),
      note({ transaction: name, pid: other.pid }),
    ]),
  );
  await longExport.finish();
  await store.close();
});

test("a check of the event log does not keep the WAL from being restarted, and finds nothing wrong", async () => {
  using file = makeStoreFile();
  const store = await file.open();
  const batch = Array.from({ length: 1_000 }, () => animal);
  let [batchCount, peakWalBytes, isOver] = [0, 0, false];
  const add = async () => {
    await store.pets.createAll(batch);
    await store.pets.update(1, { name: `Rex ${batchCount++}` }, undefined);
    peakWalBytes = Math.max(peakWalBytes, file.walBytes());
  };
  for (let count = 0; count < 5; count++) await add();
  const adding = (async () => {
    while (!isOver) await add();
  })();
  using database = openUnchanged(file.path);
  const source = createReplaySource(database);
  const findings = await replay({
    ...source,
    async *readEvents() {
      for await (const page of source.readEvents()) {
        const before = batchCount;
        if (file.fileBytes() < 6 * defaultWalBytes) await until(() => batchCount > before);
        else isOver = true;
        yield page;
      }
    },
  });
  isOver = true;
  await adding;
  expect(findings.flatMap(({ problem, skipped }) => problem ?? skipped ?? [])).toEqual([]);
  expect(peakWalBytes).toBeLessThan(3 * defaultWalBytes);
  await store.close();
});

test("a check of the event log finds nothing wrong although its oldest events are deleted meanwhile", async () => {
  using file = makeStoreFile();
  let elapsedMs = 0;
  const store = await file.open(() => {}, { eventRetentionMs: 1_000, stopwatch: () => elapsedMs });
  await store.pets.createAll(Array.from({ length: 1_500 }, () => animal));
  for (let count = 0; count < 1_500; count++) await store.pets.update(1, { name: `Rex ${count}` }, undefined);
  using database = openUnchanged(file.path);
  const source = createReplaySource(database);
  let pageCount = 0;
  const findings = await replay({
    ...source,
    async *readEvents() {
      for await (const page of source.readEvents()) {
        yield page;
        if (++pageCount > 1) continue;
        elapsedMs = 2 * 3_600_000;
        await store.deleteExpired(Date.now() + elapsedMs);
      }
    },
  });
  expect(pageCount).toBeGreaterThan(1);
  expect(findings.flatMap(({ problem }) => problem ?? [])).toEqual([]);
  expect(findings.flatMap(({ skipped }) => skipped ?? [])).toEqual([
    "Events before position 3001 were deleted, so only resources with events were compared.",
    "Events before position 3001 were deleted, so only resources with events were compared.",
  ]);
  await store.close();
});

const animal = { name: "🐕".repeat(250), categoryId: 1, status: "available" } as const;

function makeStoreFile() {
  const folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  return {
    path,
    fileBytes: () => sizeOf(path),
    walBytes: () => sizeOf(walOf(path)),
    growWal: (bytes: number) => truncateSync(walOf(path), sizeOf(walOf(path)) + bytes + 1),
    async open(note: StoreTelemetry["note"] = () => {}, options: Partial<StoreOptions> = {}) {
      const store = await openSqliteStore(path, {
        ...options,
        note,
        onDeath(reason) {
          throw new Error(`The writer died: ${reason}`);
        },
      });
      await store.pets.create(animal);
      return store;
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Begins an export that pauses until `finish` is called, which returns the number of animals. */
async function holdExport(store: Store): Promise<{ exported: Promise<void>; finish(): Promise<number> }> {
  const begun = Promise.withResolvers<unknown>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let count = 0;
  const exported = store.export({
    onBegin: begun.resolve,
    async onPets(pets) {
      count += pets.length;
      await released;
    },
  });
  exported.catch(begun.reject);
  await begun.promise;
  return {
    exported,
    async finish() {
      release();
      await exported;
      return count;
    },
  };
}

/** Adds animals until the WAL is longer than its default length, and returns the number of animals. */
async function addUntilLong(store: Store, walBytes: () => number): Promise<number> {
  let count = 1;
  for (; walBytes() <= defaultWalBytes; count += 500) {
    await Promise.all(Array.from({ length: 500 }, () => store.pets.create(animal)));
  }
  return count;
}
