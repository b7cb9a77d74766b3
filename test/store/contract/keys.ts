import { describe, expect } from "bun:test";
import type { KeyRotation, NewKey } from "../../../src/domain/key.ts";
import { generateKey, hashKey } from "../../../src/domain/key-secret.ts";
import type { Store } from "../../../src/store/store.ts";
import { testWith } from "../../support/test-with.ts";
import { getRefusal, type Open } from "./under-test.ts";

export function describeKeys(name: string, open: Open): void {
  const it = testWith(open);
  describe(`${name} stores keys`, () => {
    const key: NewKey = { name: "till", scope: "write", createdAt: 1000, expiresAt: null };
    const newSecret = () => ({ hash: hashKey(generateKey()) });
    const listAllKeys = async ({ keys }: Store) => (await keys.list({ limit: 100 })).items;

    it("a created key is found only by its hash", async ({ store: { keys } }) => {
      const secret = newSecret();
      const created = await keys.create(key, secret);
      expect(created).toEqual({ id: 1, family: 1, ...key, revokedAt: null, rotatedAt: null, lastUsedAt: null });
      expect(await keys.findByHash(secret.hash)).toEqual(created);
      expect(await keys.findByHash(newSecret().hash)).toBeUndefined();
      expect(await keys.get(1)).toEqual(created);
      expect(await keys.get(2)).toBeUndefined();
      expect(await keys.list({ limit: 1 })).toEqual({ items: [created] });
    });

    it("only one of many concurrent starts creates the first key, and no start creates another after that key was revoked", async (under) => {
      const { keys } = under.store;
      const firstKeys = await Promise.all(Array.from({ length: 10 }, () => keys.createFirst(key, newSecret())));
      expect(firstKeys.filter((one) => one !== undefined)).toHaveLength(1);
      await keys.revoke(1, 2000, false);
      expect(await keys.createFirst(key, newSecret())).toBeUndefined();
    });

    it("recording a use of a key makes no later change fail its precondition", async ({ store: { keys } }) => {
      const seen = await keys.create(key, newSecret());
      await keys.recordUse([{ id: 1, at: 1500 }]);
      const rotation: KeyRotation = { at: 2000, retiresAt: 3000, keepLastAdmin: false };
      expect(await keys.rotate(1, rotation, newSecret(), seen)).toMatchObject({ id: 2 });
      expect((await getRefusal(keys.revoke(1, 2500, false, seen)))[0]).toBe("PreconditionFailed");
      const rotated = await keys.get(1);
      await keys.recordUse([{ id: 1, at: 70_000 }]);
      expect(await keys.revoke(1, 80_000, false, rotated)).toMatchObject({ revokedAt: 80_000 });
    });

    it("a revoked key keeps the time of its first revocation", async ({ store: { keys } }) => {
      await keys.create(key, newSecret());
      expect(await keys.revoke(1, 2000, true)).toMatchObject({ revokedAt: 2000 });
      expect(await keys.revoke(1, 3000, true)).toMatchObject({ revokedAt: 2000 });
      expect(await keys.get(1)).toMatchObject({ revokedAt: 2000 });
      expect(await getRefusal(keys.revoke(2, 2000, false))).toEqual(["NotFound", "No key has the id 2."]);
    });

    it("a rotated key expires no later than before, and has one successor", async (under) => {
      const { keys } = under.store;
      await keys.create(key, newSecret());
      await keys.create({ ...key, expiresAt: 5000 }, newSecret());
      const rotation = { at: 4000, retiresAt: 9000, keepLastAdmin: true };
      expect(await keys.rotate(1, rotation, newSecret())).toMatchObject({ id: 3, ...key, createdAt: 4000 });
      expect(await keys.rotate(2, rotation, newSecret())).toMatchObject({ id: 4, expiresAt: 8000 });
      expect((await listAllKeys(under.store)).map(({ expiresAt }) => expiresAt)).toEqual([9000, 5000, null, 8000]);
      expect((await listAllKeys(under.store)).map(({ rotatedAt }) => rotatedAt)).toEqual([4000, 4000, null, null]);
      expect(await getRefusal(keys.rotate(1, rotation, newSecret()))).toEqual([
        "Conflict",
        "Key 1 is retiring. Rotate its successor.",
      ]);
    });

    it("a key's successor has the requested lifetime, or that of the old key, within limits", async (under) => {
      const { keys } = under.store;
      const expiryOfSuccessor = async (expiresAt: number | null, rotation: Partial<KeyRotation>) => {
        const { id } = await keys.create({ ...key, expiresAt }, newSecret());
        const defaults = { at: 2000, retiresAt: 2000, keepLastAdmin: true };
        return (await keys.rotate(id, { ...defaults, ...rotation }, newSecret())).expiresAt;
      };
      expect(await expiryOfSuccessor(null, {})).toBe(null);
      expect(await expiryOfSuccessor(null, { maker: { scope: "admin", expiresAt: 7000 } })).toBe(7000);
      expect(await expiryOfSuccessor(3000, {})).toBe(4000);
      expect(await expiryOfSuccessor(3000, { maker: { scope: "admin", expiresAt: 3500 } })).toBe(3500);
      expect(await expiryOfSuccessor(3000, { maker: { scope: "admin", expiresAt: 9000 } })).toBe(4000);
      expect(await expiryOfSuccessor(3000, { expiresAt: 8000 })).toBe(8000);
      expect(await expiryOfSuccessor(3000, { expiresAt: null })).toBe(null);
      const last = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
      expect(await expiryOfSuccessor(last, {})).toBe(last);
    });

    it("a key and its successors form one key family", async (under) => {
      const { keys } = under.store;
      const rotation = { at: 2000, retiresAt: 9000, keepLastAdmin: true };
      const secret = newSecret();
      expect(await keys.create(key, newSecret())).toMatchObject({ id: 1, family: 1 });
      expect(await keys.create(key, newSecret())).toMatchObject({ id: 2, family: 2 });
      expect(await keys.rotate(2, rotation, newSecret())).toMatchObject({ id: 3, family: 2 });
      expect(await keys.rotate(3, rotation, secret)).toMatchObject({ id: 4, family: 2 });
      expect(await keys.rotate(1, rotation, newSecret())).toMatchObject({ id: 5, family: 1 });
      expect((await listAllKeys(under.store)).map(({ family }) => family)).toEqual([1, 2, 2, 2, 1]);
      expect(await keys.findByHash(secret.hash)).toMatchObject({ id: 4, family: 2 });
      expect(await keys.revoke(4, 3000, true)).toMatchObject({ family: 2 });
    });

    it("a key that no longer works cannot be rotated", async (under) => {
      const { keys } = under.store;
      await keys.create({ ...key, expiresAt: 2000 }, newSecret());
      await keys.create(key, newSecret());
      await keys.revoke(2, 2000, false);
      const rotation = { at: 2000, retiresAt: 9000, keepLastAdmin: true };
      const rotate = (id: number) => getRefusal(keys.rotate(id, rotation, newSecret()));
      expect(await rotate(1)).toEqual(["Conflict", "Key 1 is expired. Create a new one."]);
      expect(await rotate(2)).toEqual(["Conflict", "Key 2 is revoked. Create a new one."]);
      expect(await rotate(3)).toEqual(["NotFound", "No key has the id 3."]);
      expect(await listAllKeys(under.store)).toHaveLength(2);
    });

    it("no timestamp of a key is earlier than its creation, even if the clock was set back", async (under) => {
      const { keys } = under.store;
      for (let count = 0; count < 2; count++) await keys.create({ ...key, createdAt: 50_000 }, newSecret());
      await keys.rotate(1, { at: 20_000, retiresAt: 30_000, keepLastAdmin: true }, newSecret());
      expect(await keys.get(1)).toMatchObject({ rotatedAt: 50_000, expiresAt: 30_000 });
      for (const id of [1, 2]) {
        expect(await keys.revoke(id, 10_000, false)).toMatchObject({ revokedAt: 50_000 });
        expect(await keys.get(id)).toMatchObject({ revokedAt: 50_000 });
      }
      await keys.recordUse([{ id: 1, at: 40_000 }]);
      expect(await keys.get(1)).toMatchObject({ lastUsedAt: 50_000 });
    });

    it("if all admin keys are revoked concurrently, one admin key is left", async (under) => {
      const { keys } = under.store;
      await keys.create(key, newSecret());
      for (let count = 0; count < 5; count++) await keys.create({ ...key, scope: "admin" }, newSecret());
      await keys.create({ ...key, scope: "admin", expiresAt: 1500 }, newSecret());
      const outcomes = await Promise.allSettled([2, 3, 4, 5, 6, 7].map((id) => keys.revoke(id, 2000, true)));
      const refusals = outcomes.filter((outcome) => outcome.status === "rejected");
      expect(refusals).toHaveLength(1);
      expect(String(refusals[0]?.reason)).toContain("No other active key with the scope admin lasts as long");
      expect(await keys.revoke(1, 2000, true)).toMatchObject({ revokedAt: 2000 });
      const [last] = (await listAllKeys(under.store)).filter(({ revokedAt }) => revokedAt === null);
      expect(await keys.revoke(last?.id ?? 0, 2000, false)).toMatchObject({ revokedAt: 2000 });
    });

    it("the last admin key without expiry cannot be revoked", async ({ store: { keys } }) => {
      await keys.create({ ...key, scope: "admin" }, newSecret());
      await keys.create({ ...key, scope: "admin", expiresAt: 9000 }, newSecret());
      expect((await getRefusal(keys.revoke(1, 2000, true)))[0]).toBe("Conflict");
      expect(await keys.revoke(2, 2000, true)).toMatchObject({ revokedAt: 2000 });
      await keys.create({ ...key, scope: "admin" }, newSecret());
      expect(await keys.revoke(1, 2000, true)).toMatchObject({ revokedAt: 2000 });
    });

    it("if all admin keys are concurrently replaced by shorter-lived keys, one admin key is left", async (under) => {
      const { keys } = under.store;
      for (let count = 0; count < 5; count++) await keys.create({ ...key, scope: "admin" }, newSecret());
      const rotation = {
        at: 2000,
        retiresAt: 2000,
        maker: { scope: "admin", expiresAt: 9000 },
        keepLastAdmin: true,
      } as const;
      const outcomes = await Promise.allSettled([1, 2, 3, 4, 5].map((id) => keys.rotate(id, rotation, newSecret())));
      const refusals = outcomes.filter((outcome) => outcome.status === "rejected");
      expect(refusals).toHaveLength(1);
      expect(String(refusals[0]?.reason)).toContain("and its successor would not either");
      const [last] = (await listAllKeys(under.store)).filter(({ expiresAt }) => expiresAt === null);
      expect(last).toMatchObject({ rotatedAt: null });
      expect(await keys.rotate(last?.id ?? 0, { ...rotation, maker: undefined }, newSecret())).toMatchObject({
        expiresAt: null,
      });
    });

    it("keys are listed in pages", async (under) => {
      for (let count = 0; count < 5; count++) await under.store.keys.create(key, newSecret());
      const first = await under.store.keys.list({ limit: 3 });
      expect(first).toMatchObject({ items: [{ id: 1 }, { id: 2 }, { id: 3 }], next: 3 });
      const second = await under.store.keys.list({ limit: 3, after: first.next });
      expect(second).toMatchObject({ items: [{ id: 4 }, { id: 5 }] });
      expect(second.next).toBeUndefined();
    });

    it("the latest use of a key is stored, in whatever order uses arrive", async ({ store: { keys } }) => {
      await keys.create(key, newSecret());
      await keys.recordUse([
        { id: 1, at: 5000 },
        { id: 99, at: 1 },
      ]);
      await keys.recordUse([{ id: 1, at: 4000 }]);
      expect(await keys.get(1)).toMatchObject({ lastUsedAt: 5000 });
    });

    it("the next use of a key overwrites a recorded use that is far in the future", async ({ store: { keys } }) => {
      await keys.create(key, newSecret());
      await keys.recordUse([{ id: 1, at: 90_000_000 }]);
      await keys.recordUse([{ id: 1, at: 5000 }]);
      expect(await keys.get(1)).toMatchObject({ lastUsedAt: 5000 });
    });
  });
}
