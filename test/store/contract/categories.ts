import { describe, expect } from "bun:test";
import { testWith } from "../../support/test-with.ts";
import { getRefusal, type Open } from "./under-test.ts";

const minInt64 = -9223372036854775808n;
const maxInt64 = 9223372036854775807n;

export function describeCategories(name: string, open: Open): void {
  const it = testWith(open);
  describe(`${name} stores categories`, () => {
    it("a category has its latest name", async ({ store: { categories } }) => {
      expect(await categories.get(7)).toBeUndefined();
      expect(await categories.put({ id: 7, name: "Dogs" }, undefined)).toBe(true);
      expect(await categories.put({ id: 7, name: "Hounds" }, undefined)).toBe(false);
      expect(await categories.get(7)).toEqual({ id: 7, name: "Hounds" });
      await categories.delete(7, undefined);
      expect(await categories.get(7)).toBeUndefined();
      expect(await getRefusal(categories.delete(7, undefined))).toEqual(["NotFound", "No category has the id 7."]);
    });

    it("categories are listed in ascending order of their 64-bit ids", async ({ store: { categories } }) => {
      const ids = [maxInt64, 0, -1, minInt64, 9007199254740993n, 5, -9007199254740993n];
      for (const id of ids) await categories.put({ id, name: `Category ${id}` }, undefined);
      const sorted = [minInt64, -9007199254740993n, -1, 0, 5, 9007199254740993n, maxInt64];
      const walked: unknown[] = [];
      for (
        let page = await categories.list({}, { limit: 2 });
        ;
        page = await categories.list({}, { limit: 2, after: page.next })
      ) {
        walked.push(...page.items);
        if (page.next === undefined) break;
      }
      expect(walked).toEqual(sorted.map((id) => ({ id, name: `Category ${id}` })));
      for (const id of ids) expect(await categories.get(id)).toEqual({ id, name: `Category ${id}` });
    });

    it("categories are found by a prefix of their names, in the order of folded name and id", async (under) => {
      const { categories } = under.store;
      const named = [
        [maxInt64, "Été"],
        [minInt64, "été"],
        [-1, "ETE"],
        [3, "Etes"],
        [4, "Dogs"],
        [9007199254740993n, "e"],
        [5, "\u{10ffff}"],
      ] as const;
      for (const [id, name] of named) await categories.put({ id, name }, undefined);
      const find = async (name: string, limit: number) => {
        const ids: unknown[] = [];
        for (let place = {}; ; ) {
          const page = await categories.list({ name }, { limit, ...place });
          ids.push(...page.items.map(({ id }) => id));
          if (page.next === undefined) return ids;
          place = { after: page.next, afterName: page.nextName };
        }
      };
      for (const limit of [1, 2, 100]) {
        expect(await find("E", limit)).toEqual([9007199254740993n, minInt64, -1, maxInt64, 3]);
        expect(await find("éTé", limit)).toEqual([minInt64, -1, maxInt64, 3]);
        expect(await find("\u{10ffff}", limit)).toEqual([5]);
        expect(await find("x", limit)).toEqual([]);
      }
      await categories.put({ id: 3, name: "Etés" }, undefined);
      await categories.put({ id: 3, name: "Étes" }, undefined);
      expect(await find("etes", 9)).toEqual([3]);
      await categories.put({ id: 3, name: "Cats" }, undefined);
      await categories.delete(-1, undefined);
      expect(await find("e", 9)).toEqual([9007199254740993n, minInt64, maxInt64]);
      expect(await find("c", 9)).toEqual([3]);
    });

    it("categories are sorted and found by all characters of their names, including vowel signs", async (under) => {
      const { categories } = under.store;
      const start = "ﬁ".repeat(126);
      const named = [`${start}aaaab`, `${start}aaaaa`, "कि", "का"];
      for (const [id, name] of named.entries()) await categories.put({ id, name }, undefined);
      const find = async (name: string) => (await categories.list({ name }, { limit: 9 })).items.map(({ id }) => id);
      expect(await find(start)).toEqual([1, 0]);
      expect(await find(`${start}aaaab`)).toEqual([0]);
      expect([await find("कि"), await find("का")]).toEqual([[2], [3]]);
    });

    it("a category that differs from the expected state is not changed", async ({ store: { categories } }) => {
      const dogs = { id: maxInt64, name: "Dogs" };
      expect((await getRefusal(categories.put(dogs, dogs)))[0]).toBe("PreconditionFailed");
      expect(await categories.put(dogs, null)).toBe(true);
      expect((await getRefusal(categories.put({ ...dogs, name: "Cats" }, null)))[0]).toBe("PreconditionFailed");
      expect(await categories.put({ ...dogs, name: "Cats" }, dogs)).toBe(false);
      expect((await getRefusal(categories.delete(dogs.id, dogs)))[0]).toBe("PreconditionFailed");
      await categories.delete(dogs.id, { ...dogs, name: "Cats" });
    });

    it("only one of many concurrent creations of the same category with If-None-Match succeeds", async (under) => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) => under.store.categories.put({ id: 1, name: `Name ${index}` }, null)),
      );
      expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    });
  });
}
