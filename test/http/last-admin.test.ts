import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Key, keyState, type Scope } from "../../src/domain/key.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";

const hour = 3_600_000;
const forever = Number.POSITIVE_INFINITY;

let service: TestService;
let now = Date.parse("2026-11-15T10:00:00Z");
beforeAll(async () => {
  service = await startService({ clock: () => now });
});
afterAll(() => service[Symbol.asyncDispose]());

/** A key with the scope admin that works for so many hours, or for ever. */
const addAdmin = (hours: number) =>
  addKey(service.store, { scope: "admin", createdAt: now, expiresAt: hours === forever ? null : now + hours * hour });
const post = (path: string, key: string | undefined, body?: object) =>
  service.client.call(path, { method: "POST", body, ...(key && { key }) });
const expiry = (hours: number) => (hours === forever ? null : new Date(now + hours * hour).toISOString());

/** No key of an earlier test works any more. */
const startAnew = () => service.database.run("UPDATE keys SET revoked_at = 1 WHERE revoked_at IS NULL");

describe("the last admin key that lasts", () => {
  const successorTooShort = (id: number) => ({
    code: "Conflict",
    message: `No other active key with the scope admin lasts as long as key ${id}, and its successor would not either. Rotate it with a key that lasts as long and without an earlier expiresAt, or create another admin key first.`,
    status: 409,
  });

  test("is not rotated by a key that expires", async () => {
    await startAnew();
    const owner = await addAdmin(forever);
    const guest = await addAdmin(1);
    for (const body of [{ overlapSeconds: 0 }, {}, { overlapSeconds: 0, expiresAt: expiry(0.5) }]) {
      expect((await post(`/v1/keys/${owner.id}/rotate`, guest.key, body)).json).toEqual(successorTooShort(owner.id));
    }
    expect((await service.client.call("/v1/keys", { key: owner.key })).status).toBe(200);
    expect((await post(`/v1/keys/${owner.id}/rotate`, owner.key, { overlapSeconds: 0 })).status).toBe(201);
  });

  test("is not rotated to one that expires sooner, not even by the configured key", async () => {
    await startAnew();
    const owner = await addAdmin(2);
    const rotation = { expiresAt: expiry(1) };
    for (const key of [owner.key, undefined]) {
      expect((await post(`/v1/keys/${owner.id}/rotate`, key, rotation)).json).toEqual(successorTooShort(owner.id));
    }
    await addAdmin(2);
    expect((await post(`/v1/keys/${owner.id}/rotate`, owner.key, rotation)).status).toBe(201);
  });

  test("is not revoked as the successor of one that is retiring", async () => {
    await startAnew();
    const owner = await addAdmin(forever);
    const { json } = await post(`/v1/keys/${owner.id}/rotate`, owner.key);
    const heir = json as { id: number; key: string };
    expect((await post(`/v1/keys/${heir.id}/revoke`, owner.key)).status).toBe(409);
    expect((await post(`/v1/keys/${owner.id}/revoke`, heir.key)).status).toBe(200);
  });

  test("stands in nobody's way once it has expired", async () => {
    await startAnew();
    const owner = await addAdmin(1);
    now += hour;
    expect((await post(`/v1/keys/${owner.id}/revoke`, undefined)).json).toMatchObject({ state: "revoked" });
  });
});

test("whatever admins do over HTTP, an active admin key lasts as long as the longest that there was", async () => {
  const statuses = new Map<string, Set<number>>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(hours, { minLength: 1, maxLength: 3 }),
      fc.array(step, { minLength: 5, maxLength: 20 }),
      async (lives, steps) => {
        await startAnew();
        // Nobody but the configured key is left if all of the keys have expired.
        const people: Person[] = [{ id: 0, key: undefined }];
        for (const life of lives) people.push(await addAdmin(life));
        const firstId = people[1]?.id ?? 0;
        for (const { wait, by, to, act, scope, expires, overlapSeconds } of steps) {
          now += wait;
          const before = longestOf(await adminsFrom(firstId), ["active", "retiring"]);
          const caller = people[by % people.length];
          const target = people[1 + (to % (people.length - 1))]?.id;
          const expiresAt = expires === undefined ? {} : { expiresAt: expiry(expires) };
          const answer =
            act === "create"
              ? await post("/v1/keys", caller?.key, { name: "made", scope, ...expiresAt })
              : act === "rotate"
                ? await post(`/v1/keys/${target}/rotate`, caller?.key, { overlapSeconds, ...expiresAt })
                : await post(`/v1/keys/${target}/revoke`, caller?.key);
          if (answer.status === 201) people.push(answer.json as Person);
          statuses.set(act, (statuses.get(act) ?? new Set()).add(answer.status));
          expect(longestOf(await adminsFrom(firstId), ["active"])).toBeGreaterThanOrEqual(before);
        }
      },
    ),
    { numRuns: 150 },
  );
  // What has never been both done and refused has proved nothing.
  expect([...(statuses.get("create") ?? [])]).toEqual(expect.arrayContaining([201, 401, 403]));
  expect([...(statuses.get("rotate") ?? [])]).toEqual(expect.arrayContaining([201, 401, 403, 409]));
  expect([...(statuses.get("revoke") ?? [])]).toEqual(expect.arrayContaining([200, 401, 409]));
});

interface Person {
  readonly id: number;
  readonly key: string | undefined;
}

const hours = fc.constantFrom(1, 2, 3, 24, 720, forever);
const step = fc.record({
  wait: fc.constantFrom(0, 0, 0, 1, 600_000, hour, 24 * hour),
  by: fc.nat(20),
  to: fc.nat(20),
  act: fc.constantFrom("create", "rotate", "rotate", "revoke"),
  scope: fc.constantFrom<Scope>("admin", "admin", "write"),
  expires: fc.option(hours, { nil: undefined }),
  overlapSeconds: fc.constantFrom(0, 60, 3600, 2_592_000),
});

async function adminsFrom(firstId: number): Promise<Key[]> {
  const { items } = await service.store.keys.list({ limit: 100, after: firstId - 1 });
  return items.filter(({ scope }) => scope === "admin");
}

/** When the last of the keys in these states ends; before all times if there is none. */
function longestOf(keys: readonly Key[], states: readonly string[]): number {
  const working = keys.filter((key) => states.includes(keyState(key, now)));
  return Math.max(0, ...working.map(({ expiresAt }) => expiresAt ?? forever));
}
