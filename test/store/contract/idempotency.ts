import { describe, expect, test } from "bun:test";
import { hash } from "node:crypto";
import { TemporaryError } from "../../../src/domain/errors.ts";
import type { IdempotencyRecord } from "../../../src/domain/idempotency.ts";
import { generateKey, hashKey } from "../../../src/domain/key-secret.ts";
import type { NewPet } from "../../../src/domain/pet.ts";
import { openStore } from "../../../src/store/open-store.ts";
import { recordTable } from "../../../src/store/tables.ts";
import { testWith } from "../../support/test-with.ts";
import {
  createMovableStopwatch,
  getRefusal,
  type Open,
  readAll,
  runInGroups,
  type StoreUnderTest,
} from "./under-test.ts";

const hour = 60 * 60 * 1000;
const day = 24 * hour;

export function describeRecords(name: string, open: Open): void {
  const it = testWith(open);
  const rex: NewPet = { name: "Rex", categoryId: 9223372036854775807n, status: "available" };

  describe(`${name} carries out a write with an Idempotency-Key once`, () => {
    it("a repeated write returns the first result, and changes nothing", async ({ store }) => {
      const first = newRecord();
      const pet = await store.withIdempotency(first).pets.create(rex);
      expect(first.replays).toBe(0);
      for (let round = 0; round < 3; round++) {
        const again = newRecord();
        expect(await store.withIdempotency(again).pets.create(rex)).toEqual(pet);
        expect(again.replays).toBe(1);
      }
      expect(await store.withIdempotency(newRecord({ name: "other" })).pets.create(rex)).toEqual({ ...pet, id: 2 });
      expect((await store.pets.list({}, { limit: 10 })).items).toHaveLength(2);
    });

    it("a write with a known Idempotency-Key, but another fingerprint, is refused, and changes nothing", async (under) => {
      const { store } = under;
      await store.withIdempotency(newRecord()).pets.create(rex);
      expect(await getRefusal(store.withIdempotency(newRecord({ request: "another" })).pets.create(rex))).toEqual([
        "UnprocessableContent",
        "This Idempotency-Key was used for another request. Send a new one, or repeat the original request.",
      ]);
      expect((await store.pets.list({}, { limit: 10 })).items).toHaveLength(1);
    });

    it("every kind of write with an Idempotency-Key is carried out once, and a refusal is stored like a result", async (under) => {
      const { store } = under;
      await store.pets.create({ ...rex, status: "available" });
      const repeat = async <Result>(called: string, work: (under: typeof store) => Promise<Result>) => {
        const result = await work(store.withIdempotency(newRecord({ name: called })));
        expect(await work(store.withIdempotency(newRecord({ name: called })))).toEqual(result);
        return result;
      };
      const batch = [rex, { ...rex, name: "Mia" }];
      expect(await repeat("batch", ({ pets }) => pets.createAll(batch))).toEqual(
        batch.map((pet, index) => ({ ...pet, id: index + 2 })),
      );
      expect(await repeat("empty batch", ({ pets }) => pets.createAll([]))).toEqual([]);
      const order = await repeat("place", ({ orders }) => orders.place({ petId: 1 }, 1));
      const message =
        "Animal 1 cannot be ordered because it is pending. Its next status can be available or sold, not pending.";
      expect(
        await getRefusal(store.withIdempotency(newRecord({ name: "taken" })).orders.place({ petId: 1 }, 1)),
      ).toEqual(["Conflict", message]);
      await repeat("cancel", ({ orders }) => orders.close(order.id, "cancelled", 2));
      const again = newRecord({ name: "taken" });
      expect(await getRefusal(store.withIdempotency(again).orders.place({ petId: 1 }, 1))).toEqual([
        "Conflict",
        message,
      ]);
      expect(again.replays).toBe(1);
      const key = { name: "till", scope: "read", createdAt: 1, expiresAt: null } as const;
      const keySecret = () => ({ hash: hashKey(generateKey()), sealed: generateKey() });
      const createdKey = await repeat("key", ({ keys }) => keys.create(key, keySecret()));
      expect(createdKey.sealed).toMatch(/^ask_/);
      await repeat("rotate", ({ keys }) => keys.rotate(1, { at: 2, retiresAt: 3, keepLastAdmin: true }, keySecret()));
      expect((await store.keys.list({ limit: 10 })).items).toHaveLength(2);
      const webhook = { url: "https://shop.example/", types: "", description: null, createdAt: 1 };
      const newSecret = () => ({ sealed: generateKey(), sealedForMaker: generateKey() });
      const [{ id: eventId = "" } = {}] = await readAll(store);
      const delivery = { eventId, type: "pet.created", subject: "pets/1", attempt: 1, at: 1, position: 1 };
      const pending = { outcome: "pending", status: null, error: null, durationMs: null, nextAt: null } as const;
      await repeat("webhook", ({ webhooks }) => webhooks.create(webhook, newSecret(), undefined));
      await repeat("secret", ({ webhooks }) => webhooks.rotate(1, { at: 2, retiresAt: 3 }, newSecret(), undefined));
      await repeat("delivery", ({ webhooks }) => webhooks.beginDelivery(1, { ...delivery, ...pending }));
      await repeat("retry", ({ webhooks }) => webhooks.retry(1, 1, 2));
      await repeat("replay", ({ webhooks }) => webhooks.replay(1, undefined, 2));
      expect((await store.webhooks.list({ limit: 10 })).items).toHaveLength(1);
      expect(await store.webhooks.listDeliveries(1, 10)).toHaveLength(1);
    });

    it("only one of many concurrent repetitions of a write is carried out, and the others get its result or are told to wait", async (under) => {
      const { store } = under;
      for (let round = 1; round <= 5; round++) {
        const name = `round ${round}`;
        const outcomes = await Promise.allSettled(
          Array.from({ length: 32 }, () => store.withIdempotency(newRecord({ name })).pets.create(rex)),
        );
        for (const outcome of outcomes) {
          if (outcome.status === "fulfilled") expect(outcome.value).toEqual({ id: round, ...rex });
          else expect(String(outcome.reason)).toContain("still in progress");
        }
        expect((await store.pets.list({}, { limit: 100 })).items).toHaveLength(round);
      }
    });

    it("an idempotency record can be used for one write only", async (under) => {
      const once = under.store.withIdempotency(newRecord());
      await once.pets.create(rex);
      expect(() => once.pets.create(rex)).toThrow("An idempotency record was used for two writes.");
    });

    it("a repeated write is refused if another version of the program has stored the outcome in another format", async (under) => {
      const { store, database } = under;
      await store.withIdempotency(newRecord()).pets.create(rex);
      await database.run(`UPDATE claims SET conclusion = replace(conclusion, '"version":1', '"version":2')`);
      const [code, message] = await getRefusal(store.withIdempotency(newRecord()).pets.create(rex));
      expect([code, message]).toEqual([
        "UnprocessableContent",
        expect.stringContaining("another version of the service"),
      ]);
      expect((await store.pets.list({}, { limit: 10 })).items).toHaveLength(1);
    });

    it("the outcome of a failed write is not stored, so that the write can be tried again", async (under) => {
      const { store } = under;
      const broken = { ...rex, status: "lost" as never };
      expect((await getRefusal(store.withIdempotency(newRecord()).pets.create(broken)))[0]).toBe("InternalServerError");
      expect(await countRecords(under)).toBe(0);
      const again = newRecord();
      expect(await store.withIdempotency(again).pets.create(rex)).toMatchObject(rex);
      expect(again.replays).toBe(0);
    });

    test("after 24 hours, a repeated write is carried out again, and expired idempotency records are deleted in batches", async () => {
      const time = createMovableStopwatch();
      await using under = await open(time);
      const { store } = under;
      await runInGroups(1300, (index) =>
        store.withIdempotency(newRecord({ name: `record ${index}`, at: 5000 + index })).pets.create(rex),
      );
      expect(await countRecords(under)).toBe(1300);
      await store.deleteExpired(time.advanceTo(5000 + day - 1));
      expect(await countRecords(under)).toBe(1300);
      await store.deleteExpired(time.advanceTo(5000 + day + 1100));
      expect(await countRecords(under)).toBe(199);
      const later = 5000 + 2 * day;
      const first = await store.withIdempotency(newRecord({ at: time.advanceTo(later) })).pets.create(rex);
      expect(await store.withIdempotency(newRecord({ at: time.advanceTo(later + day - 1) })).pets.create(rex)).toEqual(
        first,
      );
      expect(await store.withIdempotency(newRecord({ at: time.advanceTo(later + day) })).pets.create(rex)).not.toEqual(
        first,
      );
      await store.deleteExpired(time.advanceTo(later + 2 * day));
      expect(await countRecords(under)).toBe(0);
    });

    test("after the clock was set back, idempotency records are kept for one hour and then another 24 hours", async () => {
      const time = createMovableStopwatch();
      await using under = await open(time);
      const { store } = under;
      const ahead = 1000 * day;
      const first = await store.withIdempotency(newRecord({ at: ahead })).pets.create(rex);
      await runInGroups(1100, (index) =>
        store.withIdempotency(newRecord({ name: `record ${index}`, at: ahead })).pets.create(rex),
      );
      const again = newRecord({ at: time.advanceTo(day) });
      expect(await store.withIdempotency(again).pets.create(rex)).toEqual(first);
      expect(again.replays).toBe(1);
      await store.deleteExpired(day);
      const redatedAt = day + hour;
      await store.deleteExpired(time.advanceTo(redatedAt));
      expect(
        await store.withIdempotency(newRecord({ at: time.advanceTo(redatedAt + day - 1) })).pets.create(rex),
      ).toEqual(first);
      expect(await countRecords(under)).toBe(1101);
      await store.deleteExpired(time.advanceTo(redatedAt + day));
      expect(await countRecords(under)).toBe(0);
    });

    test("after the clock was set back and corrected, idempotency records are kept for 24 hours", async () => {
      const time = createMovableStopwatch();
      await using under = await open(time);
      const { store } = under;
      const at = time.advanceTo(1000 * day);
      const first = await store.withIdempotency(newRecord({ at })).pets.create(rex);
      await store.deleteExpired(at - 100 * day);
      await store.deleteExpired(at);
      await store.deleteExpired(time.advanceTo(at + day - 1));
      expect(await store.withIdempotency(newRecord({ at: time.advanceTo(at + day - 1) })).pets.create(rex)).toEqual(
        first,
      );
      expect(await countRecords(under)).toBe(1);
    });
  });

  describe(`${name} limits idempotency records`, () => {
    const countPets = async ({ store }: StoreUnderTest) => (await store.pets.list({}, { limit: 100 })).items.length;
    const add = ({ store }: StoreUnderTest, called: string, rest: Partial<IdempotencyRecord> = {}) =>
      store.withIdempotency({ ...newRecord({ name: called }), ...rest }).pets.create(rex);
    const getError = async (write: Promise<unknown>) => {
      const error = await write.catch((thrown: unknown) => thrown);
      if (!(error instanceof TemporaryError))
        throw new Error(`The write was not refused temporarily, but ended with ${error}.`);
      return [error.code, error.message, error.retryAfterSeconds];
    };
    const advice = "Wait before the next one, or send it without an Idempotency-Key.";
    const message = `This key has made 3 requests with an Idempotency-Key in 24 hours, which is the limit. ${advice}`;

    test("beyond the limit of a key family, new writes are refused, and stored outcomes are still returned", async () => {
      await using under = await open({ idempotencyLimits: { perFamily: 3, total: 100 } });
      for (const [index, called] of ["a", "b", "c"].entries()) await add(under, called, { at: 1000 + index });
      for (let round = 0; round < 3; round++) {
        expect(await getError(add(under, "d", { at: 5000 }))).toEqual(["TooManyRequests", message, day / 1000 - 4]);
      }
      expect([await countPets(under), await countRecords(under)]).toEqual([3, 3]);
      expect(await add(under, "b")).toEqual({ id: 2, ...rex });
      expect(
        (
          await getRefusal(under.store.withIdempotency(newRecord({ name: "a", request: "another" })).pets.create(rex))
        )[0],
      ).toBe("UnprocessableContent");
      expect(await add(under, "d", { family: 2 })).toMatchObject(rex);
      expect(await add(under, "e", { family: "environment" })).toMatchObject(rex);
      await under.store.pets.create(rex);
    });

    test("the quota has room again once the oldest idempotency record has expired, even before the record is deleted", async () => {
      await using under = await open({ idempotencyLimits: { perFamily: 2, total: 100 } });
      await add(under, "a", { at: 1000 });
      await add(under, "b", { at: 2000 });
      expect((await getError(add(under, "c", { at: 1000 + day - 1 })))[2]).toBe(1);
      await add(under, "c", { at: 1000 + day });
      expect((await getError(add(under, "d", { at: 1000 + day })))[2]).toBe(1);
      await under.store.deleteExpired(2000 + day);
      await add(under, "d", { at: 2000 + day });
      expect((await getError(add(under, "e", { at: 2000 + day })))[2]).toBe(day / 1000 - 1);
    });

    test("stored refusals count against the quota of idempotency records like results", async () => {
      await using under = await open({ idempotencyLimits: { perFamily: 3, total: 100 } });
      const place = (called: string) =>
        under.store.withIdempotency(newRecord({ name: called })).orders.place({ petId: 99 }, 1000);
      for (const called of ["a", "b", "c"]) expect((await getRefusal(place(called)))[0]).toBe("Conflict");
      expect((await getError(place("d")))[0]).toBe("TooManyRequests");
      expect((await getRefusal(place("b")))[0]).toBe("Conflict");
      expect(await countRecords(under)).toBe(3);
    });

    test("the idempotency records of all key families together have a limit as well", async () => {
      await using under = await open({ idempotencyLimits: { perFamily: 3, total: 5 } });
      for (const family of [1, 2, 3, 4, 5]) await add(under, String(family), { family });
      const message = `This store has reached its limit of requests with an Idempotency-Key. ${advice}`;
      expect(await getError(add(under, "6", { family: 6 }))).toEqual(["TooManyRequests", message, day / 1000]);
      expect([await countPets(under), await countRecords(under)]).toEqual([5, 5]);
    });

    test("the limits on idempotency records apply to all instances on a database together", async () => {
      const idempotencyLimits = { perFamily: 8, total: 100 };
      await using under = await open({ idempotencyLimits });
      for (let index = 0; index < 4; index++) await add(under, `first ${index}`);
      const other = await openStore(under.database.address, { poolSize: 2, idempotencyLimits, onDeath: () => {} });
      try {
        let acceptedCount = 4;
        for (let index = 0; index < 20; index++) {
          const outcome = await add({ ...under, store: other }, `second ${index}`).catch((error: unknown) => error);
          if (!(outcome instanceof TemporaryError)) acceptedCount++;
        }
        expect(acceptedCount).toBe(8);
        expect(await countRecords(under)).toBe(8);
      } finally {
        await other.close();
      }
    });
  });
}

/** Returns an idempotency record; records differ only in the given fields. */
function newRecord({
  name = "one",
  request = "create",
  family = 1,
  at = 1000,
} = {}): IdempotencyRecord & { replays: number } {
  return {
    name: hash("sha256", name, "buffer"),
    fingerprint: hash("sha256", request, "buffer"),
    family,
    at,
    replays: 0,
    onReplay() {
      this.replays++;
    },
  };
}

async function countRecords({ store }: StoreUnderTest): Promise<number> {
  return await store.transfer.count(recordTable);
}
