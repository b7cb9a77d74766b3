import { describe, expect, test } from "bun:test";
import { truncateSync } from "node:fs";
import { join } from "node:path";
import { usualLogBytes } from "../../src/store/sqlite/connection/connect.ts";
import { mostGrowthBytes } from "../../src/store/sqlite/export.ts";
import { logOf, sizeOf } from "../../src/store/sqlite/file/paths.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store, StoreWatch } from "../../src/store/store.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/wait.ts";

describe("a log that grows beside an export", () => {
  test("is begun anew before the next, which has to wait until nobody reads it", async () => {
    using place = makePlace();
    const store = await place.open();
    const long = await holdExport(store);
    const count = await addUntilLong(store, place.logBytes);
    const overlapping = store.export({ begin() {}, async take() {} });
    await expect(overlapping).rejects.toMatchObject({ code: "TooManyRequests", retryAfterSeconds: 5 });
    expect(await long.finish()).toBe(1);
    const next = await holdExport(store);
    await store.pets.create(animal);
    expect(place.logBytes()).toBeLessThan(usualLogBytes);
    // Now they may overlap again.
    await (await holdExport(store)).finish();
    expect(await next.finish()).toBe(count);
    await store.close();
  });

  test("beyond measure cuts the export off, which the log of the service tells", async () => {
    const told: string[] = [];
    using place = makePlace();
    const store = await place.open((_, message) => told.push(message));
    await store.pets.createAll(Array.from({ length: 1_000 }, () => animal));
    const slow = await holdExport(store);
    place.growLog(mostGrowthBytes);
    await expect(slow.finish()).rejects.toThrow("cut off");
    expect(told).toEqual(["an export was cut off, because much was written while it was read"]);
    await store.pets.create(animal);
    expect(await (await holdExport(store)).finish()).toBe(1_002);
    await store.close();
  });

  test("beyond measure cuts off also an export of which nothing is taken", async () => {
    const told: string[] = [];
    using place = makePlace();
    const store = await place.open((_, message) => told.push(message));
    const { exported } = await holdExport(store);
    place.growLog(mostGrowthBytes);
    await expect(exported).rejects.toThrow("cut off");
    expect(told).toEqual(["an export was cut off, because much was written while it was read"]);
    await store.close();
  });

  test("gives its room back once it is over", async () => {
    using place = makePlace();
    const store = await place.open();
    const long = await holdExport(store);
    const count = await addUntilLong(store, place.logBytes);
    await long.finish();
    await until(async () => {
      await store.pets.create(animal);
      return place.logBytes() <= usualLogBytes;
    });
    expect((await store.pets.list({}, { limit: 1, after: count - 1 })).items).toMatchObject([{ id: count }]);
    await store.close();
  });
});

const animal = { name: "🐕".repeat(250), categoryId: 1, status: "available" } as const;

function makePlace() {
  const folder = temporaryFolder();
  const path = join(folder.path, "animals.db");
  return {
    logBytes: () => sizeOf(logOf(path)),
    /** By room that nothing is written to. */
    growLog: (bytes: number) => truncateSync(logOf(path), sizeOf(logOf(path)) + bytes + 1),
    async open(note: StoreWatch["note"] = () => {}) {
      const store = await openSqliteStore(path, {
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

/** Begins an export that goes no further until it is to finish, which returns how many animals it has. */
async function holdExport(store: Store): Promise<{ exported: Promise<void>; finish(): Promise<number> }> {
  const begun = Promise.withResolvers<unknown>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let count = 0;
  const exported = store.export({
    begin: begun.resolve,
    async take(pets) {
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

/** Adds animals until the log is longer than usual, and returns how many there are. */
async function addUntilLong(store: Store, logBytes: () => number): Promise<number> {
  let count = 1;
  for (; logBytes() <= usualLogBytes; count += 500) {
    await Promise.all(Array.from({ length: 500 }, () => store.pets.create(animal)));
  }
  return count;
}
