import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { getKeyState, type Key, type Scope } from "../../src/domain/key.ts";
import { addKey } from "../support/keys.ts";
import { startService } from "../support/service.ts";

const hour = 3_600_000;
const never = Number.POSITIVE_INFINITY;

let now = Date.parse("2026-11-15T10:00:00Z");
const service = await startService({ clock: () => now });
afterAll(() => service[Symbol.asyncDispose]());

const addAdmin = (hours: number) =>
  addKey(service.store, { scope: "admin", createdAt: now, expiresAt: hours === never ? null : now + hours * hour });
const post = (path: string, key: string | undefined, body?: object) =>
  service.client.call(path, { method: "POST", body, ...(key && { key }) });
const expiryAfter = (hours: number) => (hours === never ? null : new Date(now + hours * hour).toISOString());

/** Revokes the keys of earlier tests. */
const revokeAll = () => service.database.run("UPDATE keys SET revoked_at = 1 WHERE revoked_at IS NULL");

const successorTooShortError = (id: number) => ({
  code: "Conflict",
  message: `No other active key with the scope admin lasts as long as key ${id}, and its successor would not either. Rotate it with a key that lasts as long and without an earlier expiresAt, or create another admin key first.`,
  status: 409,
});

test("rotating the last admin key without an expiry gets 409 if the caller's own key expires", async () => {
  await revokeAll();
  const owner = await addAdmin(never);
  const guest = await addAdmin(1);
  for (const body of [{ overlapSeconds: 0 }, {}, { overlapSeconds: 0, expiresAt: expiryAfter(0.5) }]) {
    expect((await post(`/v1/keys/${owner.id}/rotate`, guest.key, body)).json).toEqual(successorTooShortError(owner.id));
  }
  expect((await service.client.call("/v1/keys", { key: owner.key })).status).toBe(200);
  expect((await post(`/v1/keys/${owner.id}/rotate`, owner.key, { overlapSeconds: 0 })).status).toBe(201);
});

test("rotating the last admin key to one that expires sooner gets 409, even with the configured key", async () => {
  await revokeAll();
  const owner = await addAdmin(2);
  const rotation = { expiresAt: expiryAfter(1) };
  for (const key of [owner.key, undefined]) {
    expect((await post(`/v1/keys/${owner.id}/rotate`, key, rotation)).json).toEqual(successorTooShortError(owner.id));
  }
  await addAdmin(2);
  expect((await post(`/v1/keys/${owner.id}/rotate`, owner.key, rotation)).status).toBe(201);
});

test("revoking the only successor of a retiring admin key gets 409", async () => {
  await revokeAll();
  const owner = await addAdmin(never);
  const { json } = await post(`/v1/keys/${owner.id}/rotate`, owner.key);
  const successor = json as { id: number; key: string };
  expect((await post(`/v1/keys/${successor.id}/revoke`, owner.key)).status).toBe(409);
  expect((await post(`/v1/keys/${owner.id}/revoke`, successor.key)).status).toBe(200);
});

test("an expired admin key can be revoked", async () => {
  await revokeAll();
  const owner = await addAdmin(1);
  now += hour;
  expect((await post(`/v1/keys/${owner.id}/revoke`, undefined)).json).toMatchObject({ state: "revoked" });
});

test("random requests by admins never shorten the time for which an active admin key exists", async () => {
  const statuses = new Map<string, Set<number>>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(hours, { minLength: 1, maxLength: 3 }),
      fc.array(step, { minLength: 5, maxLength: 20 }),
      async (lifetimes, steps) => {
        await revokeAll();
        // The configured key is one of the callers, because it works even after all stored keys have expired.
        const callers: Caller[] = [{ id: 0, key: undefined }];
        for (const hours of lifetimes) callers.push(await addAdmin(hours));
        const firstId = callers[1]?.id ?? 0;
        for (const { waitMs, callerIndex, targetIndex, action, scope, expires, overlapSeconds } of steps) {
          now += waitMs;
          const before = maxExpiry(await listAdminsFrom(firstId), ["active", "retiring"]);
          const caller = callers[callerIndex % callers.length];
          const target = callers[1 + (targetIndex % (callers.length - 1))]?.id;
          const expiresAt = expires === undefined ? {} : { expiresAt: expiryAfter(expires) };
          const response =
            action === "create"
              ? await post("/v1/keys", caller?.key, { name: "made", scope, ...expiresAt })
              : action === "rotate"
                ? await post(`/v1/keys/${target}/rotate`, caller?.key, { overlapSeconds, ...expiresAt })
                : await post(`/v1/keys/${target}/revoke`, caller?.key);
          if (response.status === 201) callers.push(response.json as Caller);
          statuses.set(action, (statuses.get(action) ?? new Set()).add(response.status));
          expect(maxExpiry(await listAdminsFrom(firstId), ["active"])).toBeGreaterThanOrEqual(before);
        }
      },
    ),
    { numRuns: 150 },
  );
  // Each action must have been executed and refused; otherwise, the test would prove nothing about that action.
  expect([...(statuses.get("create") ?? [])]).toEqual(expect.arrayContaining([201, 401, 403]));
  expect([...(statuses.get("rotate") ?? [])]).toEqual(expect.arrayContaining([201, 401, 403, 409]));
  expect([...(statuses.get("revoke") ?? [])]).toEqual(expect.arrayContaining([200, 401, 409]));
});

interface Caller {
  readonly id: number;
  readonly key: string | undefined;
}

const hours = fc.constantFrom(1, 2, 3, 24, 720, never);
const step = fc.record({
  waitMs: fc.constantFrom(0, 0, 0, 1, 600_000, hour, 24 * hour),
  callerIndex: fc.nat(20),
  targetIndex: fc.nat(20),
  action: fc.constantFrom("create", "rotate", "rotate", "revoke"),
  scope: fc.constantFrom<Scope>("admin", "admin", "write"),
  expires: fc.option(hours, { nil: undefined }),
  overlapSeconds: fc.constantFrom(0, 60, 3600, 2_592_000),
});

async function listAdminsFrom(firstId: number): Promise<Key[]> {
  const { items } = await service.store.keys.list({ limit: 100, after: firstId - 1 });
  return items.filter(({ scope }) => scope === "admin");
}

function maxExpiry(keys: readonly Key[], states: readonly string[]): number {
  const working = keys.filter((key) => states.includes(getKeyState(key, now)));
  return Math.max(0, ...working.map(({ expiresAt }) => expiresAt ?? never));
}
