import { describe, expect, test } from "bun:test";
import { hash } from "node:crypto";
import { type Origin, operator } from "../../../src/domain/event.ts";
import type { IdempotencyRecord } from "../../../src/domain/idempotency.ts";
import type { NewPet, Pet } from "../../../src/domain/pet.ts";
import { openStore } from "../../../src/store/open-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { recordTable } from "../../../src/store/tables.ts";
import type { StoreOptions } from "../../../src/store/telemetry.ts";
import { createMovableStopwatch, type Open, readAll } from "./under-test.ts";

const minute = 60 * 1000;
const hour = 60 * minute;
const day = 24 * hour;
const start = Date.parse("2026-11-20T09:00:00Z");
const rex: NewPet = { name: "Rex", categoryId: 7, status: "available" };

export function describeExpiry(name: string, open: Open): void {
  describe(`${name} expires data`, () => {
    test("nothing expires in the first hour after a start, and no request is carried out twice", async () => {
      await using earlier = await open();
      const first = await createOnce(earlier.store, start - 2 * day);
      await createAt(earlier.store, start - 2 * day);
      const { time, notes, options } = makeOptions();
      const store = await openStore(earlier.database.address, options);
      try {
        for (const elapsedMs of [10_000, hour - 1]) {
          const now = start + time.advanceTo(elapsedMs);
          await store.deleteExpired(now);
          expect(await createOnce(store, now)).toEqual(first);
          expect(await countStored(store)).toEqual({ records: 1, events: 2 });
        }
        expect(notes).toEqual([toPauseNote("info", "the service has just started")]);
        await store.deleteExpired(start + time.advanceTo(hour));
        expect(await countStored(store)).toEqual({ records: 0, events: 1 });
      } finally {
        await store.close();
      }
    });

    test("nothing expires in the first hour after the clock has jumped ahead, and no request is carried out twice", async () => {
      const { time, notes, options } = makeOptions();
      await using under = await open(options);
      const { store } = under;
      const first = await createOnce(store, start);
      await createAt(store, start);
      await store.deleteExpired(start + time.advanceTo(2 * hour));
      const jump = 2 * day;
      const jumpedAt = time.advanceTo(2 * hour + minute);
      expect(await createOnce(store, start + jump + jumpedAt)).toEqual(first);
      for (const elapsedMs of [minute, hour - 1]) {
        const now = start + jump + time.advanceTo(jumpedAt + elapsedMs);
        await store.deleteExpired(now);
        expect(await createOnce(store, now)).toEqual(first);
        expect(await countStored(store)).toEqual({ records: 1, events: 2 });
      }
      expect(notes).toEqual([
        toPauseNote("info", "the service has just started"),
        toPauseNote("warn", `the clock has jumped ahead by ${jump / 1000} seconds`),
      ]);
      await store.deleteExpired(start + jump + time.advanceTo(jumpedAt + hour));
      expect(await countStored(store)).toEqual({ records: 0, events: 1 });
    });

    test("nothing expires after the clock was ahead for a while and has been corrected", async () => {
      const { time, options } = makeOptions();
      await using under = await open(options);
      const { store } = under;
      const first = await createOnce(store, start);
      await createAt(store, start);
      await store.deleteExpired(start + time.advanceTo(2 * hour));
      await store.deleteExpired(start + 2 * day + time.advanceTo(2 * hour + minute));
      for (const elapsedMs of [3 * hour, 4 * hour]) {
        const now = start + time.advanceTo(elapsedMs);
        await store.deleteExpired(now);
        expect(await createOnce(store, now)).toEqual(first);
      }
      expect(await countStored(store)).toEqual({ records: 1, events: 2 });
    });

    test("data expires although a time server corrects the clock by a minute", async () => {
      const { time, notes, options } = makeOptions();
      await using under = await open(options);
      const { store } = under;
      await createOnce(store, start);
      await createAt(store, start);
      await store.deleteExpired(start + time.advanceTo(day - minute));
      expect(await countStored(store)).toEqual({ records: 1, events: 2 });
      await store.deleteExpired(start + minute + time.advanceTo(day));
      expect(await countStored(store)).toEqual({ records: 0, events: 1 });
      expect(notes).toHaveLength(1);
    });
  });
}

/** Returns a stopwatch, log entries, and the options of a store that uses both, and whose events expire after a day. */
function makeOptions() {
  const time = createMovableStopwatch();
  const notes: unknown[] = [];
  const options: StoreOptions = {
    poolSize: 2,
    onDeath() {},
    stopwatch: time.stopwatch,
    eventRetentionMs: day,
    note: (level, message, fields) => notes.push({ level, message, ...fields }),
  };
  return { time, notes, options };
}

function toPauseNote(level: string, cause: string) {
  return { level, message: "nothing is deleted because of its age for one hour", cause };
}

function createOnce(store: Store, at: number): Promise<Pet> {
  const record: IdempotencyRecord = {
    name: hash("sha256", "one", "buffer"),
    fingerprint: hash("sha256", "create", "buffer"),
    family: 1,
    at,
    onReplay() {},
  };
  return store.withOrigin(originAt(at)).withIdempotency(record).pets.create(rex);
}

function createAt(store: Store, at: number): Promise<Pet> {
  return store.withOrigin(originAt(at)).pets.create(rex);
}

function originAt(at: number): Origin {
  return { actor: operator, request: null, at };
}

async function countStored(store: Store) {
  return { records: await store.transfer.count(recordTable), events: (await readAll(store)).length };
}
