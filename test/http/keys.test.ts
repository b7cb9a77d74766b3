import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { isWellFormedKey } from "../../src/domain/key-secret.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let now = Date.parse("2026-11-15T10:00:00Z");
const hour = 3_600_000;
beforeAll(async () => {
  service = await startService({ clock: () => now });
});
afterAll(() => service[Symbol.asyncDispose]());

const call: TestService["client"]["call"] = (path, options) => service.client.call(path, options);
const time = (milliseconds: number) => new Date(milliseconds).toISOString();

interface Made {
  readonly id: number;
  readonly key: string;
  readonly expiresAt: string | null;
}

const make = async (fields: object = {}, key?: string) => {
  const answer = await call("/v1/keys", { body: { name: "till", scope: "write", ...fields }, ...(key && { key }) });
  return { ...answer, made: answer.json as Made };
};
const rotate = async (id: number, body?: object, key?: string) => {
  const answer = await call(`/v1/keys/${id}/rotate`, { method: "POST", body, ...(key && { key }) });
  return { ...answer, made: answer.json as Made };
};
const revoke = (id: number, key?: string) => call(`/v1/keys/${id}/revoke`, { method: "POST", ...(key && { key }) });
const works = async (key: string) => (await call("/v1/pets", { key })).status;

describe("createKey", () => {
  test("201 with a key that works, shown this once", async () => {
    const { status, headers, made, json } = await make();
    expect(status).toBe(201);
    expect(isWellFormedKey(made.key)).toBe(true);
    expect(json).toEqual({
      id: made.id,
      name: "till",
      scope: "write",
      state: "active",
      createdAt: time(now),
      expiresAt: null,
      rotatedAt: null,
      revokedAt: null,
      lastUsedAt: null,
      key: made.key,
    });
    expect(headers.get("location")).toBe(`/v1/keys/${made.id}`);
    expect(headers.get("etag")).toBeNull();
    expect(headers.get("cache-control")).toBe("no-store");
    expect(await works(made.key)).toBe(200);
    const { key, ...rest } = made;
    expect((await call(`/v1/keys/${made.id}`)).json).toEqual(rest);
    for (const path of ["/v1/keys?limit=100", `/v1/keys/${made.id}`]) {
      expect((await call(path)).text).not.toContain(key);
    }
  });

  test("it has the requested scope and expiry", async () => {
    const { made } = await make({ scope: "read", expiresAt: "2026-11-15T11:00:00Z" });
    expect(made.expiresAt).toBe(time(now + hour));
    expect((await call("/v1/pets", { key: made.key, body: { name: "Rex", categoryId: 1 } })).status).toBe(403);
    now += hour;
    expect(await works(made.key)).toBe(401);
    expect((await call(`/v1/keys/${made.id}`)).json).toMatchObject({ state: "expired" });
  });

  test("400 naming what is wrong", async () => {
    const wrong = await call("/v1/keys", { body: { name: "", scope: "root", expiresAt: "tomorrow" } });
    expect(wrong.json).toMatchObject({
      status: 400,
      message:
        "name must be a string of 1 to 100 characters, at least one of them visible and none of them a control character. scope must be one of read, write, admin. expiresAt must be a time in UTC such as 2031-01-31T12:00:00Z, or null.",
    });
    for (const name of ["\u200b", "\u2800\ufe0f", "x".repeat(101)]) {
      expect((await make({ name })).json).toMatchObject({
        message: expect.stringMatching(/^name must be a string of 1 to 100 characters/),
      });
    }
    expect((await call("/v1/keys", { body: {} })).json).toMatchObject({
      message: expect.stringMatching(/^name.*scope/),
    });
    for (const expiresAt of ["2027-02-31T10:00:00Z", "2027-01-31", "2027-01-31T10:00:00+01:00", 1]) {
      expect((await make({ expiresAt })).json).toMatchObject({ message: expect.stringContaining("a time in UTC") });
    }
    expect((await make({ expiresAt: "2026-11-15T09:59:59Z" })).json).toMatchObject({
      message: "expiresAt must be in the future.",
    });
  });

  test("400 for a mistyped expiresAt, and no key is made", async () => {
    const count = async () => (await Array.fromAsync(service.client.walk("/v1/keys?limit=100"))).length;
    const before = await count();
    for (const typo of ["expiresat", "expires_at", "expiresAt ", "expiry"]) {
      const answer = await make({ [typo]: "2027-01-31T10:00:00Z" });
      expect(answer.json).toMatchObject({ status: 400, message: `${typo} is unknown; leave it out.` });
    }
    expect(await count()).toBe(before);
  });

  test("403 for a key that would outlive the caller's", async () => {
    const { key } = await addKey(service.store, { scope: "admin", createdAt: now, expiresAt: now + hour });
    const message = `This key expires at ${time(now + hour)}, so it cannot create a key that lasts longer. Send an expiresAt that is no later.`;
    for (const expiresAt of [undefined, null, time(now + hour + 1)]) {
      expect((await make({ expiresAt }, key)).json).toEqual({ code: "Forbidden", message, status: 403 });
    }
    expect((await make({ expiresAt: time(now + hour) }, key)).status).toBe(201);
  });
});

describe("rotateKey", () => {
  test("201 with a successor; the old key works for the overlap", async () => {
    const { made } = await make();
    const { status, headers, made: heir } = await rotate(made.id, { overlapSeconds: 3600 });
    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/v1/keys/${heir.id}`);
    expect(heir).toMatchObject({ name: "till", scope: "write", state: "active", expiresAt: null });
    expect([await works(made.key), await works(heir.key)]).toEqual([200, 200]);
    expect((await call(`/v1/keys/${made.id}`)).json).toMatchObject({
      state: "retiring",
      rotatedAt: time(now),
      expiresAt: time(now + hour),
    });
    now += hour;
    expect([await works(made.key), await works(heir.key)]).toEqual([401, 200]);
  });

  test("the overlap is a day unless told otherwise, and can be nothing", async () => {
    const first = await make();
    expect((await rotate(first.made.id)).status).toBe(201);
    expect((await call(`/v1/keys/${first.made.id}`)).json).toMatchObject({ expiresAt: time(now + 24 * hour) });
    const second = await make();
    await rotate(second.made.id, { overlapSeconds: 0 });
    expect(await works(second.made.key)).toBe(401);
  });

  test("a successor lives as long as the old key was made for, but not longer than the key that asks", async () => {
    const { made } = await make({ expiresAt: time(now + hour) });
    now += 1000;
    expect((await rotate(made.id)).made.expiresAt).toBe(time(now + hour));
    const asking = await addKey(service.store, { scope: "admin", createdAt: now, expiresAt: now + hour });
    const forever = await make();
    expect((await rotate(forever.made.id, {}, asking.key)).made.expiresAt).toBe(time(now + hour));
    const { made: other } = await make();
    expect((await rotate(other.id, { expiresAt: null }, asking.key)).status).toBe(403);
    expect((await rotate(other.id, { expiresAt: null })).made.expiresAt).toBeNull();
  });

  test("404 and 409 for what cannot be rotated, 400 for what is wrong", async () => {
    expect((await rotate(999_999)).json).toMatchObject({ message: "No key has the id 999999.", status: 404 });
    const { made } = await make();
    await rotate(made.id);
    expect((await rotate(made.id)).json).toEqual({
      code: "Conflict",
      message: `Key ${made.id} is retiring. Rotate its successor.`,
      status: 409,
    });
    const { made: revoked } = await make();
    await revoke(revoked.id);
    expect((await rotate(revoked.id)).json).toMatchObject({
      message: `Key ${revoked.id} is revoked. Create a new one.`,
    });
    for (const overlapSeconds of [-1, 1.5, 2_592_001, "1h"]) {
      expect((await rotate(made.id, { overlapSeconds })).status).toBe(400);
    }
  });
});

describe("revokeKey", () => {
  test("200, and the key stops working within a second; again it stays as it was", async () => {
    const { made } = await make();
    expect(await works(made.key)).toBe(200);
    const answer = await revoke(made.id);
    expect(answer.json).toMatchObject({ id: made.id, state: "revoked", revokedAt: time(now) });
    now += 1000;
    expect(await works(made.key)).toBe(401);
    expect((await revoke(made.id)).text).toBe(answer.text);
    expect((await revoke(999_999)).json).toMatchObject({ message: "No key has the id 999999.", status: 404 });
  });

  test("409 for the last active admin key, however it is asked for", async () => {
    await using other = await startService();
    const admin = await addKey(other.store, { scope: "admin" });
    const second = await addKey(other.store, { scope: "admin" });
    await addKey(other.store, { scope: "write" });
    await addKey(other.store, { scope: "admin", expiresAt: 1 });
    const revokeIt = (id: number, key: string) => other.client.call(`/v1/keys/${id}/revoke`, { method: "POST", key });
    expect((await revokeIt(second.id, admin.key)).status).toBe(200);
    expect((await revokeIt(admin.id, admin.key)).json).toEqual({
      code: "Conflict",
      message: `No other active key with the scope admin lasts as long as key ${admin.id}. Create one first, or rotate this one.`,
      status: 409,
    });
    expect((await other.client.call("/v1/keys", { key: admin.key })).status).toBe(200);
  });
});

describe("getCurrentKey", () => {
  const current = (key?: string, headers = {}) => call("/v1/keys/current", { headers, ...(key && { key }) });

  test.each(["read", "write", "admin"] as const)(
    "200 for a key with the scope %s: its description, without it",
    async (scope) => {
      const { made } = await make({ scope, name: `of ${scope}`, expiresAt: time(now + hour) });
      const answer = await current(made.key);
      expect(answer.json).toEqual({
        id: made.id,
        name: `of ${scope}`,
        scope,
        state: "active",
        createdAt: time(now),
        expiresAt: time(now + hour),
        rotatedAt: null,
        revokedAt: null,
        lastUsedAt: null,
      });
      expect(answer.text).not.toContain(made.key);
      expect((await current(made.key, { "if-none-match": answer.headers.get("etag") })).status).toBe(304);
    },
  );

  test("is of this moment, also just after the key was rotated, and ends with the key", async () => {
    const { made } = await make();
    expect((await current(made.key)).json).toMatchObject({ state: "active" });
    await rotate(made.id, { overlapSeconds: 60 });
    expect((await current(made.key)).json).toMatchObject({ state: "retiring", expiresAt: time(now + 60_000) });
    now += 60_000;
    expect((await current(made.key)).status).toBe(401);
  });

  test("the configured key is called environment, and has no id", async () => {
    expect((await current()).json).toEqual({
      id: null,
      name: "environment",
      scope: "admin",
      state: "active",
      createdAt: null,
      expiresAt: null,
      rotatedAt: null,
      revokedAt: null,
      lastUsedAt: null,
    });
  });

  test("stands in the way of no key: what is no id is nothing, and nothing can be done to it", async () => {
    expect((await call("/v1/keys/curren")).status).toBe(404);
    expect((await call("/v1/keys/current/rotate", { method: "POST" })).status).toBe(404);
    const refused = await call("/v1/keys/current", { method: "DELETE" });
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

test("keys are listed page by page, also those that no longer work", async () => {
  await using other = await startService();
  for (let count = 0; count < 5; count++) await addKey(other.store);
  await other.store.keys.revoke(2, 1, false);
  const states: unknown[] = [];
  for await (const key of other.client.walk("/v1/keys?limit=2"))
    states.push((key as unknown as { state: string }).state);
  expect(states).toEqual(["active", "revoked", "active", "active", "active"]);
});
