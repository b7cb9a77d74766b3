import { describe, expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { replay } from "../../src/store/replay.ts";
import { defaultWalBytes } from "../../src/store/sqlite/connection/connect.ts";
import { maxGrowthBytes } from "../../src/store/sqlite/export.ts";
import { sizeOf, walOf } from "../../src/store/sqlite/file/database-files.ts";
import { openUnchanged } from "../../src/store/sqlite/file/examine.ts";
import { replaySource } from "../../src/store/sqlite/replay.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store, StoreTelemetry } from "../../src/store/store.ts";
import type { StoreOptions } from "../../src/store/telemetry.ts";
import { testUnless, withoutLinux } from "../support/conditional-test.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

describe("a WAL that grows during an export", () => {
  test("the WAL is restarted before the next export, which waits until no transaction reads it", async () => {
    using place = makePlace();
    const store = await place.open();
    const long = await holdExport(store);
    const count = await addUntilLong(store, place.logBytes);
    const overlapping = store.export({ onBegin() {}, async onPets() {} });
    await expect(overlapping).rejects.toMatchObject({ code: "TooManyRequests", retryAfterSeconds: 5 });
    expect(await long.finish()).toBe(1);
    const next = await holdExport(store);
    await store.pets.create(animal);
    expect(place.logBytes()).toBeLessThan(defaultWalBytes);
    // Exports may overlap again.
    await (await holdExport(store)).finish();
    expect(await next.finish()).toBe(count);
    await store.close();
  });

  test("a WAL that grows too long cuts the export off, which is logged", async () => {
    const told: string[] = [];
    using place = makePlace();
    const store = await place.open((_, message) => told.push(message));
    await store.pets.createAll(Array.from({ length: 1_000 }, () => animal));
    const slow = await holdExport(store);
    place.growLog(maxGrowthBytes);
    await expect(slow.finish()).rejects.toThrow("cut off");
    expect(told).toEqual(["an export was cut off, because much was written while it was read"]);
    await store.pets.create(animal);
    expect(await (await holdExport(store)).finish()).toBe(1_002);
    await store.close();
  });

  test("a WAL that grows too long also cuts off an export whose client does not read", async () => {
    const told: string[] = [];
    using place = makePlace();
    const store = await place.open((_, message) => told.push(message));
    const { exported } = await holdExport(store);
    place.growLog(maxGrowthBytes);
    await expect(exported).rejects.toThrow("cut off");
    expect(told).toEqual(["an export was cut off, because much was written while it was read"]);
    await store.close();
  });

  test("the space of a long WAL is freed after the export", async () => {
    using place = makePlace();
    const store = await place.open();
    const long = await holdExport(store);
    const count = await addUntilLong(store, place.logBytes);
    await long.finish();
    await until(async () => {
      await store.pets.create(animal);
      return place.logBytes() <= defaultWalBytes;
    });
    expect((await store.pets.list({}, { limit: 1, after: count - 1 })).items).toMatchObject([{ id: count }]);
    await store.close();
  });
});

testUnless(withoutLinux("/proc/locks"), "the reader of a long WAL is logged once", async () => {
  using place = makePlace();
  const told: object[] = [];
  const store = await place.open((level, message, fields) => told.push({ level, message, ...fields }));
  const script = `
    const database = new (require("bun:sqlite").Database)(process.argv.at(-1));
    database.run("BEGIN");
    database.query("SELECT count(*) FROM pets").get();
    console.log("reading");
    process.stdin.resume();`;
  await using other = Bun.spawn([process.execPath, "-e", script, place.path], { stdin: "pipe", stdout: "pipe" });
  await other.stdout.getReader().read();
  const long = await holdExport(store);
  const note = (fields: object) => ({
    level: "warn",
    message: "a read transaction keeps the WAL from being started over",
    walBytes: expect.any(Number),
    ...fields,
  });
  await store.pets.create(animal);
  await store.deleteExpired(Date.now());
  place.growLog(4 * defaultWalBytes);
  for (let turn = 0; turn < 2; turn++) await store.deleteExpired(Date.now());
  const name = expect.stringMatching(/bun/);
  const ofStart = expect.objectContaining({ cause: "the service has just started" });
  expect(told).toHaveLength(3);
  expect(told).toEqual(
    expect.arrayContaining([
      ofStart,
      note({ transaction: "export", pid: process.pid }),
      note({ transaction: name, pid: other.pid }),
    ]),
  );
  await long.finish();
  await store.close();
});

describe("a check of the events", () => {
  test("a check of the events does not keep the WAL from being restarted, and finds nothing wrong", async () => {
    using place = makePlace();
    const store = await place.open();
    const batch = Array.from({ length: 1_000 }, () => animal);
    let [batches, longest, isOver] = [0, 0, false];
    const add = async () => {
      await store.pets.createAll(batch);
      await store.pets.update(1, { name: `Rex ${batches++}` }, undefined);
      longest = Math.max(longest, place.logBytes());
    };
    for (let count = 0; count < 5; count++) await add();
    const adding = (async () => {
      while (!isOver) await add();
    })();
    using database = openUnchanged(place.path);
    const source = replaySource(database);
    const findings = await replay({
      ...source,
      async *readEvents() {
        for await (const page of source.readEvents()) {
          const before = batches;
          if (place.fileBytes() < 6 * defaultWalBytes) await until(() => batches > before);
          else isOver = true;
          yield page;
        }
      },
    });
    isOver = true;
    await adding;
    expect(findings.flatMap(({ problem, skipped }) => problem ?? skipped ?? [])).toEqual([]);
    expect(longest).toBeLessThan(3 * defaultWalBytes);
    await store.close();
  });

  test("a check of the events finds nothing wrong although the oldest are deleted meanwhile", async () => {
    using place = makePlace();
    let elapsedMs = 0;
    const store = await place.open(() => {}, { eventRetentionMs: 1_000, stopwatch: () => elapsedMs });
    await store.pets.createAll(Array.from({ length: 1_500 }, () => animal));
    for (let count = 0; count < 1_500; count++) await store.pets.update(1, { name: `Rex ${count}` }, undefined);
    using database = openUnchanged(place.path);
    const source = replaySource(database);
    let pages = 0;
    const findings = await replay({
      ...source,
      async *readEvents() {
        for await (const page of source.readEvents()) {
          yield page;
          if (++pages > 1) continue;
          elapsedMs = 2 * 3_600_000;
          await store.deleteExpired(Date.now() + elapsedMs);
        }
      },
    });
    expect(pages).toBeGreaterThan(1);
    expect(findings.flatMap(({ problem }) => problem ?? [])).toEqual([]);
    expect(findings.flatMap(({ skipped }) => skipped ?? [])).toEqual([
      "Events before position 3001 were deleted, so only resources with events were compared.",
      "Events before position 3001 were deleted, so only resources with events were compared.",
    ]);
    await store.close();
  });
});

const animal = { name: "🐕".repeat(250), categoryId: 1, status: "available" } as const;

function makePlace() {
  const folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  return {
    path,
    fileBytes: () => sizeOf(path),
    logBytes: () => sizeOf(walOf(path)),
    growLog: (bytes: number) => truncateSync(walOf(path), sizeOf(walOf(path)) + bytes + 1),
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

/** Begins an export that pauses until `finish`, which returns the number of animals. */
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

/** Adds animals until the WAL is longer than its default, and returns their number. */
async function addUntilLong(store: Store, logBytes: () => number): Promise<number> {
  let count = 1;
  for (; logBytes() <= defaultWalBytes; count += 500) {
    await Promise.all(Array.from({ length: 500 }, () => store.pets.create(animal)));
  }
  return count;
}
