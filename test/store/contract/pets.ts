import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Int64 } from "../../../src/base/int64.ts";
import { foldName } from "../../../src/domain/folded-name.ts";
import type { Page, PageRequest } from "../../../src/domain/page.ts";
import {
  maxInventoryCount,
  type NewPet,
  type Pet,
  type PetFilter,
  petStatuses,
  petTransitions,
} from "../../../src/domain/pet.ts";
import type { PetStore } from "../../../src/store/store.ts";
import { testWith } from "../../support/test-with.ts";
import { getRefusal, type Open } from "./under-test.ts";

export function describePets(name: string, open: Open): void {
  const it = testWith(open);
  const rex: NewPet = { name: "Rex", categoryId: 7, status: "available" };

  describe(`${name} stores animals`, () => {
    it("a created animal can be read with all its fields", async ({ store: { pets } }) => {
      const created = await pets.create(rex);
      expect(created).toEqual({ id: 1, ...rex });
      expect(await pets.get(1)).toEqual(created);
      expect(await pets.list({}, { limit: 10, after: 0 })).toEqual({ items: [created] });
    });

    it("a read of a missing animal returns undefined", async (under) => {
      expect(await under.store.pets.get(1)).toBeUndefined();
      expect(await under.store.pets.get(9223372036854775807n)).toBeUndefined();
      expect(await under.store.pets.list({}, { limit: 1, after: 0 })).toEqual({ items: [] });
    });

    it("64-bit integers of animals are exact, even on a page with small integers", async ({ store: { pets } }) => {
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

    it("animals that are created concurrently get consecutive ids", async (under) => {
      const created = await Promise.all(
        Array.from({ length: 1200 }, (_, index) => under.store.pets.create({ ...rex, name: `Animal ${index}` })),
      );
      expect(created.map(({ id }) => id).sort((one, other) => one - other)).toEqual(
        Array.from({ length: 1200 }, (_, index) => index + 1),
      );
      for (const { id, name: given } of [created[0], created[600], created[1199]] as Pet[]) {
        expect(await under.store.pets.get(id)).toMatchObject({ name: given });
      }
    });

    it("animals that are added together keep their order and exact integers", async (under) => {
      const { pets } = under.store;
      await pets.create(rex);
      const batch = Array.from({ length: 1000 }, (_, index) => ({
        name: `Animal ${index}`,
        categoryId: index % 7 === 0 ? 9223372036854775000n + BigInt(index % 800) : index,
        status: petStatuses[index % 3] ?? "sold",
      }));
      const added = await pets.createAll(batch);
      expect(added).toEqual(batch.map((pet, index) => ({ id: index + 2, ...pet })));
      expect((await pets.list({}, { limit: 1000, after: 1 })).items).toEqual(added as Pet[]);
      expect(await under.store.inventory()).toEqual({ available: 335, pending: 333, sold: 333 });
    });

    it("an animal that cannot be stored makes its whole batch fail, but not concurrent writes", async (under) => {
      const lost = { ...rex, status: "lost" as never };
      const outcomes = await Promise.allSettled([
        under.store.pets.create(rex),
        under.store.pets.createAll([rex, rex]),
        under.store.pets.createAll([rex, lost, rex]),
        under.store.pets.create(rex),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
      expect((await under.store.pets.list({}, { limit: 100, after: 0 })).items).toHaveLength(4);
    });

    it("an animal that cannot be stored does not affect concurrent creations", async (under) => {
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

    it("an update of an animal changes only the given fields", async ({ store: { pets } }) => {
      await pets.create(rex);
      await pets.create(rex);
      expect(await pets.update(1, { name: "Rexy" }, undefined)).toEqual({ id: 1, ...rex, name: "Rexy" });
      expect(await pets.update(1, { categoryId: -9223372036854775808n }, undefined)).toMatchObject({ name: "Rexy" });
      const changed = { id: 1, name: "Rexy", categoryId: -9223372036854775808n, status: "pending" } as const;
      expect(await pets.update(1, { status: "pending" }, undefined)).toEqual(changed);
      expect(await pets.update(1, {}, undefined)).toEqual(changed);
      expect(await pets.get(1)).toEqual(changed);
      expect(await pets.get(2)).toEqual({ id: 2, ...rex });
    });

    it("the status of an animal changes only along the allowed transitions", async (under) => {
      for (const from of petStatuses) {
        for (const to of petStatuses) {
          const { id } = await under.store.pets.create({ ...rex, status: from });
          const change = under.store.pets.update(id, { status: to }, undefined);
          if (from === to || petTransitions[from].includes(to)) expect(await change).toMatchObject({ status: to });
          else {
            const allowed = petTransitions[from].join(" or ");
            const message = `Animal ${id} is ${from}. Its next status can be ${allowed}, not ${to}.`;
            expect(await getRefusal(change)).toEqual(["Conflict", message]);
            expect(await under.store.pets.get(id)).toMatchObject({ status: from });
          }
        }
      }
    });

    it("a deleted animal cannot be read, and its id is not reused", async ({ store: { pets } }) => {
      await pets.create(rex);
      await pets.create(rex);
      await pets.delete(2, undefined);
      expect(await pets.get(2)).toBeUndefined();
      expect(await getRefusal(pets.delete(2, undefined))).toEqual(["NotFound", "No animal has the id 2."]);
      expect(await pets.create(rex)).toMatchObject({ id: 3 });
    });

    it("missing animals and animals that differ from the expected state are not changed or deleted", async (under) => {
      const { pets } = under.store;
      const first = await pets.create({ ...rex, categoryId: 9223372036854775807n });
      const second = await pets.update(1, { name: "Rexy" }, first);
      for (const expected of [first, null, { ...second, categoryId: 7 }]) {
        expect((await getRefusal(pets.update(1, { name: "Max" }, expected)))[0]).toBe("PreconditionFailed");
        expect((await getRefusal(pets.delete(1, expected)))[0]).toBe("PreconditionFailed");
      }
      expect(await getRefusal(pets.update(9, { name: "Max" }, undefined))).toEqual([
        "NotFound",
        "No animal has the id 9.",
      ]);
      expect((await getRefusal(pets.update(9223372036854775807n, {}, undefined)))[0]).toBe("NotFound");
      expect(await pets.get(1)).toEqual(second);
      await pets.delete(1, second);
    });

    it("only one of many concurrent changes of an animal with the same expected state succeeds", async (under) => {
      const { pets } = under.store;
      const pet = await pets.create(rex);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => pets.update(1, { name: `Name ${index}` }, pet)),
      );
      const succeeded = outcomes.filter((outcome) => outcome.status === "fulfilled");
      expect(succeeded).toHaveLength(1);
      expect(await pets.get(1)).toEqual(succeeded[0]?.value as Pet);
    });

    it("the inventory counts every animal, also after changes by other programs", async ({ store, database }) => {
      expect(await store.inventory()).toEqual({ available: 0, pending: 0, sold: 0 });
      await database.fill(300);
      expect(await store.inventory()).toEqual({ available: 100, pending: 100, sold: 100 });
      await Promise.all(Array.from({ length: 50 }, () => store.pets.create(rex)));
      await store.pets.update(3, { status: "pending" }, undefined);
      await store.pets.delete(1, undefined);
      await store.orders.place({ petId: 6 }, 1);
      await database.run("UPDATE pets SET status = 'sold' WHERE id = 9 OR id = 12 OR id = 2");
      await database.run("DELETE FROM pets WHERE id = 15");
      expect(await store.inventory()).toEqual({ available: 145, pending: 101, sold: 102 });
      for (let count = 0; count < 60; count++) {
        await store.pets.update(6, { name: `Animal ${count}` }, undefined);
        await store.pets.update(3, { status: count % 2 === 0 ? "sold" : "available" }, undefined);
        if (count % 2 === 1) await store.pets.update(3, { status: "pending" }, undefined);
      }
      await Promise.all([store.deleteExpired(Date.now()), store.pets.create(rex), store.deleteExpired(Date.now())]);
      expect(await store.inventory()).toEqual({ available: 146, pending: 101, sold: 102 });
    });

    it("the inventory of a category counts its own animals, up to a thousand per status", async (under) => {
      const { store, database } = under;
      const inventoryOf = (categoryId: Int64) => store.inventoryOf(categoryId);
      const beyond = 9007199254740993n;
      for (const [categoryId, status] of [
        [beyond, "sold"],
        [beyond, "available"],
        [-1, "sold"],
      ] as const) {
        await store.pets.create({ name: "Rex", categoryId, status });
      }
      expect(await inventoryOf(beyond)).toEqual({ available: 1, pending: 0, sold: 1 });
      expect(await inventoryOf(-1)).toEqual({ available: 0, pending: 0, sold: 1 });
      expect(await inventoryOf(7)).toEqual({ available: 0, pending: 0, sold: 0 });
      await store.pets.createAll(
        Array.from({ length: maxInventoryCount }, () => ({ name: "Rex", categoryId: 7, status: "pending" as const })),
      );
      await store.pets.create({ name: "Rex", categoryId: 7, status: "available" });
      expect(await inventoryOf(7)).toEqual({ available: 1, pending: maxInventoryCount, sold: 0 });
      await store.pets.create({ name: "Rex", categoryId: 7, status: "pending" });
      expect(await inventoryOf(7)).toEqual({ available: 1, pending: maxInventoryCount, sold: 0 });
      await database.run("DELETE FROM pets WHERE category_id = 7 AND id > 500");
      expect((await inventoryOf(7)).pending).toBeLessThan(maxInventoryCount);
    });

    test("pages of animals with any filter agree with a filtered array", async () => {
      const filters = fc.record<PetFilter>(
        {
          id: oneOrMore(fc.integer({ min: 0, max: 45 }), 20),
          categoryId: fc.integer({ min: 0, max: 3 }),
          status: oneOrMore(fc.constantFrom(...petStatuses), petStatuses.length),
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
          fc.option(fc.integer({ min: 0, max: 42 }), { nil: undefined }),
          fc.boolean(),
          async (filter, limit, after, isDescending) => {
            const inOrder = isDescending ? all.toReversed() : all;
            const matching = inOrder.filter((pet) => {
              const isBehind = after === undefined || (isDescending ? pet.id < after : pet.id > after);
              return (
                isBehind &&
                Object.entries(filter).every(([field, value]) =>
                  [value].flat<unknown[]>().includes(pet[field as keyof Pet]),
                )
              );
            });
            const page = await under.store.pets.list(filter, { limit, after, isDescending });
            expect(page.items).toEqual(matching.slice(0, limit));
            expect(page.next).toBe(matching.length > limit ? matching[limit - 1]?.id : undefined);
          },
        ),
        { numRuns: 300 },
      );
    });

    it("animals are found by a prefix of their names, in the order of their folded names", async (under) => {
      const { pets } = under.store;
      const part = fc.constantFrom("a", "A", "ä", "e\u0301", "É", "ﬁ", "ß", "한", "\u{1f436}", "\uffff", " ", "z");
      const names = fc.sample(fc.string({ unit: part, minLength: 1, maxLength: 4 }), 120);
      await pets.createAll(names.slice(0, 60).map((given) => ({ ...rex, name: given })));
      for (const given of names.slice(60)) await pets.create({ ...rex, name: given });
      await pets.update(1, { name: "Ähre" }, undefined);
      await pets.delete(2, undefined);
      const all = (await pets.list({}, { limit: 100 })).items.concat(
        (await pets.list({}, { limit: 100, after: 101 })).items,
      );
      const inOrder = all
        .map((pet) => ({ pet, key: Buffer.from(foldName(pet.name)) }))
        .sort((one, other) => Buffer.compare(one.key, other.key) || one.pet.id - other.pet.id);
      const prefixes = fc.string({ unit: part, minLength: 1, maxLength: 2 });
      await fc.assert(
        fc.asyncProperty(prefixes, fc.integer({ min: 1, max: 9 }), async (prefix, limit) => {
          const matching = inOrder.filter(({ pet }) => foldName(pet.name).startsWith(foldName(prefix)));
          expect(await petsStartingWith(pets, prefix, limit)).toEqual(matching.map(({ pet }) => pet));
        }),
        { numRuns: 100 },
      );
    });

    it("a search text finds names that start with it in any case, ignoring accents but not vowel signs", async (under) => {
      const { pets } = under.store;
      const names = [
        "Straße",
        "STRASSE",
        "ẞ",
        "É",
        "IRMA",
        "ırmak",
        "οδός",
        "ΟΔΟΣ",
        "ᎠᏓ",
        "कि",
        "का",
        "กี",
        "กู",
        "が",
        "한",
      ];
      await pets.createAll(names.map((given) => ({ ...rex, name: given })));
      const expectedNames: Readonly<Record<string, string[]>> = {
        strasse: ["Straße", "STRASSE"],
        straß: ["Straße", "STRASSE"],
        SS: ["ẞ"],
        e: ["É"],
        irma: ["IRMA", "ırmak"],
        οδος: ["οδός", "ΟΔΟΣ"],
        ꭰꮣ: ["ᎠᏓ"],
        कि: ["कि"],
        का: ["का"],
        क: ["का", "कि"],
        กี: ["กี"],
        กู: ["กู"],
        が: ["が"],
        か: ["が"],
        하: ["한"],
        ㅎ: ["한"],
        한: ["한"],
        호: [],
      };
      for (const [name, expected] of Object.entries(expectedNames)) {
        expect([name, await namesStartingWith(pets, name, 2)]).toEqual([name, expected]);
      }
    });

    test.each([
      ["ligatures", "ﬁ".repeat(126)],
      ["Hangul syllables", "한".repeat(84)],
      ["ligatures, up to the 255th character", "ﬁ".repeat(250)],
      ["Hangul syllables, up to the 255th character", "한".repeat(250)],
    ])(
      "names that differ only after 252 folded characters of %s are sorted and found by all characters",
      async (_, start) => {
        await using under = await open();
        const { pets } = under.store;
        const ends = ["aaaab", "", "aaaac", "aaaa", "ｘ", "aaaaa", "x", "ß"];
        await pets.createAll(ends.map((end) => ({ ...rex, name: start + end })));
        const endsFound = async (end: string, limit: number) =>
          (await namesStartingWith(pets, start + end, limit)).map((found) => found.slice(start.length));
        for (const limit of [1, 2, 3, 100]) {
          expect(await endsFound("", limit)).toEqual(["", "aaaa", "aaaaa", "aaaab", "aaaac", "ß", "ｘ", "x"]);
          expect(await endsFound("aaaa", limit)).toEqual(["aaaa", "aaaaa", "aaaab", "aaaac"]);
        }
        expect(await endsFound("aaaab", 2)).toEqual(["aaaab"]);
        expect(await endsFound("ss", 2)).toEqual(["ß"]);
        expect(await endsFound("aaaad", 2)).toEqual([]);
      },
    );

    it("a name of 255 characters can be added, even if its folded form has 8,415 bytes", async (under) => {
      const { pets } = under.store;
      const wide = String.fromCodePoint(...Array.from({ length: 88 }, (_, index) => 0x3300 + index));
      const syllables = String.fromCodePoint(...Array.from({ length: 167 }, (_, index) => 0xac01 + 67 * index));
      const names = ["ﷺ".repeat(255), wide + syllables, syllables + wide];
      for (const given of names) {
        await pets.create({ ...rex, name: given });
        expect(await namesStartingWith(pets, given, 1)).toEqual([given]);
      }
    });
  });
}

async function petsStartingWith(pets: PetStore, prefix: string, limit: number): Promise<Pet[]> {
  const listed: Pet[] = [];
  for (let place: Pick<PageRequest, "after" | "afterName"> | undefined = {}; place; ) {
    const { items, next, nextName }: Page<Pet> = await pets.list({ name: prefix }, { limit, ...place });
    listed.push(...items);
    place = next === undefined ? undefined : { after: next, afterName: nextName };
  }
  return listed;
}

async function namesStartingWith(pets: PetStore, prefix: string, limit: number): Promise<string[]> {
  return (await petsStartingWith(pets, prefix, limit)).map((pet) => pet.name);
}

function oneOrMore<Value extends number | string>(value: fc.Arbitrary<Value>, maxLength: number) {
  return fc.oneof(
    value,
    fc.uniqueArray(value, { minLength: 2, maxLength }).map((values) => values.sort((a, b) => (a < b ? -1 : 1))),
  );
}
