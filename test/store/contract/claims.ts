import { describe, expect, test } from "bun:test";
import { hash } from "node:crypto";
import type { Claim } from "../../../src/domain/claim.ts";
import { generateKey, hashKey } from "../../../src/domain/key.ts";
import type { NewPet } from "../../../src/domain/pet.ts";
import { tables } from "../../../src/store/tables.ts";
import { inGroups, type Open, refusal, type StoreUnderTest } from "./under-test.ts";

const day = 24 * 60 * 60 * 1000;

export function describeClaims(name: string, open: Open): void {
  const rex: NewPet = { name: "Rex", categoryId: 9223372036854775807n, status: "available" };

  describe(`${name} does what is claimed once`, () => {
    test("whoever asks again gets the first result, and nothing is done", async () => {
      await using under = await open();
      const { store } = under;
      const first = claim();
      const pet = await store.once(first).pets.create(rex);
      expect(first.replays).toBe(0);
      for (let turn = 0; turn < 3; turn++) {
        const again = claim();
        expect(await store.once(again).pets.create(rex)).toEqual(pet);
        expect(again.replays).toBe(1);
      }
      expect(await store.once(claim({ name: "other" })).pets.create(rex)).toEqual({ ...pet, id: 2 });
      expect((await store.pets.list({}, { limit: 10 })).items).toHaveLength(2);
    });

    test("a claim for something else is refused, and nothing is done", async () => {
      await using under = await open();
      const { store } = under;
      await store.once(claim()).pets.create(rex);
      expect(await refusal(store.once(claim({ request: "another" })).pets.create(rex))).toEqual([
        "UnprocessableContent",
        "This Idempotency-Key was used for another request. Send another key, or the same request.",
      ]);
      expect((await store.pets.list({}, { limit: 10 })).items).toHaveLength(1);
    });

    test("every kind of write can be claimed, and a refusal is kept like a result", async () => {
      await using under = await open();
      const { store } = under;
      await store.pets.create({ ...rex, status: "available" });
      const twice = async <Result>(called: string, work: (under: typeof store) => Promise<Result>) => {
        const result = await work(store.once(claim({ name: called })));
        expect(await work(store.once(claim({ name: called })))).toEqual(result);
        return result;
      };
      const order = await twice("place", ({ orders }) => orders.place(1, 1));
      const message =
        "Animal 1 cannot be ordered, as it is pending. Its next status can be available or sold, not pending.";
      expect(await refusal(store.once(claim({ name: "taken" })).orders.place(1, 1))).toEqual(["Conflict", message]);
      await twice("cancel", ({ orders }) => orders.close(order.id, "cancelled", 2));
      const again = claim({ name: "taken" });
      expect(await refusal(store.once(again).orders.place(1, 1))).toEqual(["Conflict", message]);
      expect(again.replays).toBe(1);
      const key = { name: "till", scope: "read", createdAt: 1, expiresAt: null } as const;
      const secret = () => ({ hash: hashKey(generateKey()), sealed: generateKey() });
      const made = await twice("key", ({ keys }) => keys.create(key, secret()));
      expect(made.sealed).toMatch(/^ask_/);
      await twice("rotate", ({ keys }) =>
        keys.rotate(1, { at: 2, retiresAt: 3, latest: null, keepLastAdmin: true }, secret()),
      );
      expect((await store.keys.list({ limit: 10 })).items).toHaveLength(2);
    });

    test("of many at once one is done, and each of the others gets its result or is told to wait", async () => {
      await using under = await open();
      const { store } = under;
      for (let round = 1; round <= 5; round++) {
        const name = `round ${round}`;
        const outcomes = await Promise.allSettled(
          Array.from({ length: 32 }, () => store.once(claim({ name })).pets.create(rex)),
        );
        for (const outcome of outcomes) {
          if (outcome.status === "fulfilled") expect(outcome.value).toEqual({ id: round, ...rex });
          else expect(String(outcome.reason)).toContain("still under way");
        }
        expect((await store.pets.list({}, { limit: 100 })).items).toHaveLength(round);
      }
    });

    test("a write that fails is not kept, and can be tried again", async () => {
      await using under = await open();
      const { store } = under;
      const broken = { ...rex, status: "lost" as never };
      expect((await refusal(store.once(claim()).pets.create(broken)))[0]).toBe("InternalServerError");
      expect(await countClaims(under)).toBe(0);
      const again = claim();
      expect(await store.once(again).pets.create(rex)).toMatchObject(rex);
      expect(again.replays).toBe(0);
    });

    test("after 24 hours it is done again, and what is old goes away, a thousand at a time", async () => {
      await using under = await open();
      const { store } = under;
      const first = await store.once(claim({ at: 1000 })).pets.create(rex);
      expect(await store.once(claim({ at: 1000 + day - 1 })).pets.create(rex)).toEqual(first);
      expect(await store.once(claim({ at: 1000 + day })).pets.create(rex)).not.toEqual(first);
      await inGroups(2500, (index) => store.once(claim({ name: `claim ${index}`, at: 5000 + index })).pets.create(rex));
      expect(await countClaims(under)).toBe(2501);
      await store.tidy(5000 + day - 1);
      expect(await countClaims(under)).toBe(2501);
      await store.tidy(5000 + day + 2000);
      expect(await countClaims(under)).toBe(500);
      await store.tidy(5000 + 2 * day);
      expect(await countClaims(under)).toBe(0);
    });

    test("after the clock was set back it is not done again, and is kept for 24 hours from then on", async () => {
      await using under = await open();
      const { store } = under;
      const ahead = 1000 * day;
      const first = await store.once(claim({ at: ahead })).pets.create(rex);
      await inGroups(1500, (index) => store.once(claim({ name: `claim ${index}`, at: ahead })).pets.create(rex));
      const again = claim({ at: day });
      expect(await store.once(again).pets.create(rex)).toEqual(first);
      expect(again.replays).toBe(1);
      await store.tidy(day);
      expect(await store.once(claim({ at: 2 * day - 1 })).pets.create(rex)).toEqual(first);
      expect(await countClaims(under)).toBe(1501);
      await store.tidy(2 * day);
      expect(await countClaims(under)).toBe(0);
    });
  });
}

/** Claims differ only in what is given. */
function claim({ name = "one", request = "create", line = 1, at = 1000 } = {}): Claim & { replays: number } {
  return {
    name: hash("sha256", name, "buffer"),
    fingerprint: hash("sha256", request, "buffer"),
    line,
    at,
    replays: 0,
    onReplay() {
      this.replays++;
    },
  };
}

async function countClaims({ store }: StoreUnderTest): Promise<number> {
  const table = tables.find((one) => one.name === "claims");
  return table ? await store.transfer.count(table) : Number.NaN;
}
