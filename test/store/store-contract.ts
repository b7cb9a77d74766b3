import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { generateKey, hashKey, type NewKey } from "../../src/domain/key.ts";
import type { NewPet, Pet, PetFilter } from "../../src/domain/pet.ts";
import { petStatuses } from "../../src/domain/pet.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type Engine, makeDatabase } from "../support/database.ts";

/** What every store must do; each adapter runs all of it. */
export function describeStore(engine: Engine): void {
  const name = { sqlite: "SQLite", postgres: "PostgreSQL" }[engine];
  const open = () => openStoreUnderTest(engine);
  const rex: NewPet = { name: "Rex", categoryId: 7, status: "available" };

  describe(`${name} keeps animals`, () => {
    test("a created animal is there with all its fields", async () => {
      await using under = await open();
      const { pets } = under.store;
      const created = await pets.create(rex);
      expect(created).toEqual({ id: 1, ...rex });
      expect(await pets.get(1)).toEqual(created);
      expect(await pets.list({}, { limit: 10, after: 0 })).toEqual({ items: [created] });
    });

    test("no animal is undefined", async () => {
      await using under = await open();
      expect(await under.store.pets.get(1)).toBeUndefined();
      expect(await under.store.pets.get(9223372036854775807n)).toBeUndefined();
      expect(await under.store.pets.list({}, { limit: 1, after: 0 })).toEqual({ items: [] });
    });

    test("integers of 64 bits are exact, beside small ones in one page", async () => {
      await using under = await open();
      const { pets } = under.store;
      const categories = [
        1,
        9223372036854775807n,
        -9223372036854775808n,
        9007199254740993n,
        Number.MAX_SAFE_INTEGER,
        -1,
        0,
      ];
      for (const categoryId of categories) await pets.create({ ...rex, categoryId });
      const { items } = await pets.list({}, { limit: 100, after: 0 });
      expect(items.map(({ categoryId }) => categoryId)).toEqual(categories);
      for (const [index, categoryId] of categories.entries()) {
        expect(await pets.get(index + 1)).toEqual({ ...rex, id: index + 1, categoryId });
        expect((await pets.list({ categoryId }, { limit: 9, after: 0 })).items).toEqual([
          { ...rex, id: index + 1, categoryId },
        ]);
      }
    });

    test("creates at once all get ids of their own, in one row", async () => {
      await using under = await open();
      const created = await Promise.all(
        Array.from({ length: 3000 }, (_, index) => under.store.pets.create({ ...rex, name: `Animal ${index}` })),
      );
      expect(created.map(({ id }) => id).sort((one, other) => one - other)).toEqual(
        Array.from({ length: 3000 }, (_, index) => index + 1),
      );
      for (const { id, name: given } of [created[0], created[1500], created[2999]] as Pet[]) {
        expect(await under.store.pets.get(id)).toMatchObject({ name: given });
      }
    });

    test("an animal that cannot be stored does not harm those that are created with it", async () => {
      await using under = await open();
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) => {
          return under.store.pets.create(index % 10 === 3 ? { ...rex, status: "lost" as never } : rex);
        }),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(
        Array.from({ length: 50 }, (_, index) => (index % 10 === 3 ? "rejected" : "fulfilled")),
      );
      expect((await under.store.pets.list({}, { limit: 100, after: 0 })).items).toHaveLength(45);
    });

    test("pages by any filter agree with a plain array", async () => {
      const filters = fc.record<PetFilter>(
        {
          id: fc.integer({ min: 0, max: 45 }),
          categoryId: fc.integer({ min: 0, max: 3 }),
          status: fc.constantFrom(...petStatuses),
        },
        { requiredKeys: [] },
      );
      await using under = await open();
      const all: Pet[] = [];
      for (let index = 0; index < 40; index++) {
        const status = petStatuses[(index * 7) % 3] ?? "sold";
        all.push(await under.store.pets.create({ name: `Animal ${index}`, categoryId: (index * 5) % 4, status }));
      }
      await fc.assert(
        fc.asyncProperty(
          filters,
          fc.integer({ min: 1, max: 15 }),
          fc.integer({ min: 0, max: 42 }),
          async (filter, limit, after) => {
            const matching = all.filter((pet) => {
              return (
                pet.id > after && Object.entries(filter).every(([field, value]) => pet[field as keyof Pet] === value)
              );
            });
            const page = await under.store.pets.list(filter, { limit, after });
            expect(page.items).toEqual(matching.slice(0, limit));
            expect(page.next).toBe(matching.length > limit ? matching[limit - 1]?.id : undefined);
          },
        ),
        { numRuns: 300 },
      );
    });
  });

  describe(`${name} can be moved`, () => {
    const key = { name: "till", scope: "write", createdAt: 1000, expiresAt: 5000 } as const;

    test("to another store with all ids, and never gives again what the first one gave", async () => {
      await using from = await open();
      await using to = await open();
      for (const categoryId of [1, 9223372036854775807n, -9223372036854775808n])
        await from.store.pets.create({ ...rex, categoryId });
      const hash = hashKey(generateKey());
      await from.store.keys.create(key, hash);
      await from.store.transfer.reserveIds({ pets: 50, keys: 7 });
      const { items } = await from.store.pets.list({}, { limit: 10, after: 0 });
      // Twice, as after an interruption.
      for (let turn = 0; turn < 2; turn++) {
        await to.store.transfer.writePets(items);
        await to.store.transfer.writeKeys(await from.store.transfer.readKeys());
        await to.store.transfer.reserveIds(await from.store.transfer.lastIds());
      }
      expect(await to.store.transfer.countPets()).toBe(3);
      expect((await to.store.pets.list({}, { limit: 10, after: 0 })).items).toEqual(items);
      expect(await to.store.keys.find(hash)).toEqual(await from.store.keys.find(hash));
      expect(await to.store.transfer.lastIds()).toEqual({ pets: 50, keys: 7 });
      expect(await to.store.pets.create(rex)).toMatchObject({ id: 51 });
      expect(await to.store.keys.create(key, hashKey(generateKey()))).toMatchObject({ id: 8 });
    });
  });

  describe(`${name} keeps keys`, () => {
    const key: NewKey = { name: "till", scope: "write", createdAt: 1000, expiresAt: null };
    const newHash = () => hashKey(generateKey());

    test("a created key is found by its hash alone", async () => {
      await using under = await open();
      const { keys } = under.store;
      const hash = newHash();
      const created = await keys.create(key, hash);
      expect(created).toEqual({ id: 1, ...key, revokedAt: null, rotatedAt: null, lastUsedAt: null });
      expect(await keys.find(hash)).toEqual(created);
      expect(await keys.find(newHash())).toBeUndefined();
      expect(await keys.list()).toEqual([created]);
    });

    test("of many that start at once, one makes the first key, and none after it was revoked", async () => {
      await using under = await open();
      const { keys } = under.store;
      const made = await Promise.all(Array.from({ length: 10 }, () => keys.createFirst(key, newHash())));
      expect(made.filter((one) => one !== undefined)).toHaveLength(1);
      await keys.revoke(1, 2000);
      expect(await keys.createFirst(key, newHash())).toBeUndefined();
    });

    test("a revoked key stays revoked as of the first time", async () => {
      await using under = await open();
      const { keys } = under.store;
      await keys.create(key, newHash());
      expect(await keys.revoke(1, 2000)).toMatchObject({ revokedAt: 2000 });
      expect(await keys.revoke(1, 3000)).toMatchObject({ revokedAt: 2000 });
      expect(await keys.revoke(2, 2000)).toBeUndefined();
    });

    test("a rotated key expires, but never later than it would have, and has one successor", async () => {
      await using under = await open();
      const { keys } = under.store;
      await keys.create(key, newHash());
      await keys.create({ ...key, expiresAt: 5000 }, newHash());
      const successor = { ...key, createdAt: 4000 };
      expect(await keys.rotate(1, 9000, successor, newHash())).toMatchObject({ id: 3, ...successor });
      expect(await keys.rotate(2, 9000, successor, newHash())).toMatchObject({ id: 4 });
      expect((await keys.list()).map(({ expiresAt }) => expiresAt)).toEqual([9000, 5000, null, null]);
      expect((await keys.list()).map(({ rotatedAt }) => rotatedAt)).toEqual([4000, 4000, null, null]);
      expect(await keys.rotate(1, 9500, successor, newHash())).toBeUndefined();
    });

    test("a key that no longer works is not rotated", async () => {
      await using under = await open();
      const { keys } = under.store;
      await keys.create({ ...key, expiresAt: 2000 }, newHash());
      await keys.create(key, newHash());
      await keys.revoke(2, 2000);
      for (const id of [1, 2, 3])
        expect(await keys.rotate(id, 9000, { ...key, createdAt: 2000 }, newHash())).toBeUndefined();
      expect(await keys.list()).toHaveLength(2);
    });

    test("the last use is kept, whatever order uses come in", async () => {
      await using under = await open();
      const { keys } = under.store;
      await keys.create(key, newHash());
      await keys.recordUse([
        { id: 1, at: 5000 },
        { id: 99, at: 1 },
      ]);
      await keys.recordUse([{ id: 1, at: 4000 }]);
      expect(await keys.list()).toMatchObject([{ lastUsedAt: 5000 }]);
    });
  });
}

/** A store of its own for one test. */
async function openStoreUnderTest(engine: Engine): Promise<AsyncDisposable & { readonly store: Store }> {
  const database = await makeDatabase(engine);
  const store = await openStore(database.address, {
    poolSize: 5,
    onDeath(reason) {
      throw new Error(`The writer died: ${reason}`);
    },
  });
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      await database[Symbol.asyncDispose]();
    },
  };
}
