import { afterAll, expect, test } from "bun:test";
import { isWellFormedKey } from "../../src/domain/key-secret.ts";
import { addKey } from "../support/keys.ts";
import { startService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(() => startService());

let now = Date.parse("2026-11-15T10:00:00Z");
const hour = 3_600_000;
const service = await startService({ clock: () => now });
afterAll(() => service[Symbol.asyncDispose]());

const call = service.client.call.bind(service.client);
const time = (milliseconds: number) => new Date(milliseconds).toISOString();
const unusedKey = { state: "active", expiresAt: null, rotatedAt: null, revokedAt: null, lastUsedAt: null };

interface CreatedKey {
  readonly id: number;
  readonly key: string;
  readonly expiresAt: string | null;
}

const create = async (fields: object = {}, key?: string) => {
  const response = await call("/v1/keys", { body: { name: "till", scope: "write", ...fields }, ...(key && { key }) });
  return { ...response, created: response.json as CreatedKey };
};
const rotate = async (id: number, body?: object, key?: string) => {
  const response = await call(`/v1/keys/${id}/rotate`, { method: "POST", body, ...(key && { key }) });
  return { ...response, created: response.json as CreatedKey };
};
const revoke = (id: number, key?: string) => call(`/v1/keys/${id}/revoke`, { method: "POST", ...(key && { key }) });
const fetchStatus = async (key: string) => (await call("/v1/pets", { key })).status;

test("createKey returns a key that works, and that is shown only once", async () => {
  const { status, headers, created, json } = await create();
  expect(status).toBe(201);
  expect(isWellFormedKey(created.key)).toBe(true);
  const { id, key } = created;
  expect(json).toEqual({ ...unusedKey, id, name: "till", scope: "write", createdAt: time(now), key });
  expect(headers.get("location")).toBe(`/v1/keys/${created.id}`);
  expect(headers.get("etag")).toBeNull();
  expect(headers.get("cache-control")).toBe("no-store");
  expect(await fetchStatus(created.key)).toBe(200);
  const { key: _, ...rest } = created;
  expect((await call(`/v1/keys/${created.id}`)).json).toEqual(rest);
  for (const path of ["/v1/keys?limit=100", `/v1/keys/${created.id}`]) {
    expect((await call(path)).text).not.toContain(key);
  }
});

test("a new key has the requested scope and expiry", async () => {
  const { created } = await create({ scope: "read", expiresAt: "2026-11-15T11:00:00Z" });
  expect(created.expiresAt).toBe(time(now + hour));
  expect((await call("/v1/pets", { key: created.key, body: { name: "Rex", categoryId: 1 } })).status).toBe(403);
  now += hour;
  expect(await fetchStatus(created.key)).toBe(401);
  expect((await call(`/v1/keys/${created.id}`)).json).toMatchObject({ state: "expired" });
});

test("createKey returns 400 with every wrong field", async () => {
  const wrong = await call("/v1/keys", { body: { name: "", scope: "root", expiresAt: "tomorrow" } });
  expect(wrong.json).toMatchObject({
    status: 400,
    message:
      "name must be a string of 1 to 100 characters, at least one of them visible and none of them a control character. scope must be one of read, write, admin. expiresAt must be a time in UTC such as 2031-01-31T12:00:00Z, or null.",
  });
  for (const name of ["\u200b", "\u2800\ufe0f", "x".repeat(101)]) {
    expect((await create({ name })).json).toMatchObject({
      message: expect.stringMatching(/^name must be a string of 1 to 100 characters/),
    });
  }
  expect((await call("/v1/keys", { body: {} })).json).toMatchObject({
    message: expect.stringMatching(/^name.*scope/),
  });
  for (const expiresAt of ["2027-02-31T10:00:00Z", "2027-01-31", "2027-01-31T10:00:00+01:00", 1]) {
    expect((await create({ expiresAt })).json).toMatchObject({ message: expect.stringContaining("a time in UTC") });
  }
  expect((await create({ expiresAt: "2026-11-15T09:59:59Z" })).json).toMatchObject({
    message: "expiresAt must be in the future.",
  });
});

test("createKey returns 400 for a misspelled field name expiresAt, and creates no key", async () => {
  const count = async () => (await Array.fromAsync(service.client.walk("/v1/keys?limit=100"))).length;
  const before = await count();
  for (const typo of ["expiresat", "expires_at", "expiresAt ", "expiry"]) {
    const response = await create({ [typo]: "2027-01-31T10:00:00Z" });
    expect(response.json).toMatchObject({ status: 400, message: `${typo} is unknown; leave it out.` });
  }
  expect(await count()).toBe(before);
});

test("createKey returns 403 for a key that would outlive the key of the caller", async () => {
  const { key } = await addKey(service.store, { scope: "admin", createdAt: now, expiresAt: now + hour });
  const message = `This key expires at ${time(now + hour)}, so it cannot create a key that lasts longer. Send an expiresAt that is no later.`;
  for (const expiresAt of [undefined, null, time(now + hour + 1)]) {
    expect((await create({ expiresAt }, key)).json).toEqual({ code: "Forbidden", message, status: 403 });
  }
  expect((await create({ expiresAt: time(now + hour) }, key)).status).toBe(201);
});

test("rotateKey returns a successor, and the old key works until the end of the overlap", async () => {
  const { created } = await create();
  const { status, headers, created: successor } = await rotate(created.id, { overlapSeconds: 3600 });
  expect(status).toBe(201);
  expect(headers.get("location")).toBe(`/v1/keys/${successor.id}`);
  expect(successor).toMatchObject({ name: "till", scope: "write", state: "active", expiresAt: null });
  expect([await fetchStatus(created.key), await fetchStatus(successor.key)]).toEqual([200, 200]);
  expect((await call(`/v1/keys/${created.id}`)).json).toMatchObject({
    state: "retiring",
    rotatedAt: time(now),
    expiresAt: time(now + hour),
  });
  now += hour;
  expect([await fetchStatus(created.key), await fetchStatus(successor.key)]).toEqual([401, 200]);
});

test("the overlap of a rotation is a day by default, and can be zero", async () => {
  const first = await create();
  expect((await rotate(first.created.id)).status).toBe(201);
  expect((await call(`/v1/keys/${first.created.id}`)).json).toMatchObject({ expiresAt: time(now + 24 * hour) });
  const second = await create();
  await rotate(second.created.id, { overlapSeconds: 0 });
  expect(await fetchStatus(second.created.key)).toBe(401);
});

test("a successor has the lifetime of the old key, but does not outlive the key of the caller", async () => {
  const { created } = await create({ expiresAt: time(now + hour) });
  now += 1000;
  expect((await rotate(created.id)).created.expiresAt).toBe(time(now + hour));
  const requester = await addKey(service.store, { scope: "admin", createdAt: now, expiresAt: now + hour });
  const unlimited = await create();
  expect((await rotate(unlimited.created.id, {}, requester.key)).created.expiresAt).toBe(time(now + hour));
  const { created: other } = await create();
  expect((await rotate(other.id, { expiresAt: null }, requester.key)).status).toBe(403);
  expect((await rotate(other.id, { expiresAt: null })).created.expiresAt).toBeNull();
});

test("rotateKey returns 404 for an unknown key, 409 for a retiring or revoked one, and 400 for a wrong overlap", async () => {
  expect((await rotate(999_999)).json).toMatchObject({ message: "No key has the id 999999.", status: 404 });
  const { created } = await create();
  await rotate(created.id);
  expect((await rotate(created.id)).json).toEqual({
    code: "Conflict",
    message: `Key ${created.id} is retiring. Rotate its successor.`,
    status: 409,
  });
  const { created: revoked } = await create();
  await revoke(revoked.id);
  expect((await rotate(revoked.id)).json).toMatchObject({
    message: `Key ${revoked.id} is revoked. Create a new one.`,
  });
  for (const overlapSeconds of [-1, 1.5, 2_592_001, "1h"]) {
    expect((await rotate(created.id, { overlapSeconds })).status).toBe(400);
  }
});

test("a key stops working within a second after its revocation, and revoking it again changes nothing", async () => {
  const { created } = await create();
  expect(await fetchStatus(created.key)).toBe(200);
  const response = await revoke(created.id);
  expect(response.json).toMatchObject({ id: created.id, state: "revoked", revokedAt: time(now) });
  now += 1000;
  expect(await fetchStatus(created.key)).toBe(401);
  expect((await revoke(created.id)).text).toBe(response.text);
  expect((await revoke(999_999)).json).toMatchObject({ message: "No key has the id 999999.", status: 404 });
});

it("revokeKey returns 409 for the last active admin key", async (other) => {
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

const getCurrentKey = (key?: string, headers = {}) => call("/v1/keys/current", { headers, ...(key && { key }) });

test.each(["read", "write", "admin"] as const)(
  "getCurrentKey describes a key with the scope %s, but does not reveal it",
  async (scope) => {
    const { created } = await create({ scope, name: `of ${scope}`, expiresAt: time(now + hour) });
    const response = await getCurrentKey(created.key);
    const times = { createdAt: time(now), expiresAt: time(now + hour) };
    expect(response.json).toEqual({ ...unusedKey, id: created.id, name: `of ${scope}`, scope, ...times });
    expect(response.text).not.toContain(created.key);
    expect((await getCurrentKey(created.key, { "if-none-match": response.headers.get("etag") })).status).toBe(304);
  },
);

test("getCurrentKey shows a rotation at once, and returns 401 once the key has expired", async () => {
  const { created } = await create();
  expect((await getCurrentKey(created.key)).json).toMatchObject({ state: "active" });
  await rotate(created.id, { overlapSeconds: 60 });
  expect((await getCurrentKey(created.key)).json).toMatchObject({ state: "retiring", expiresAt: time(now + 60_000) });
  now += 60_000;
  expect((await getCurrentKey(created.key)).status).toBe(401);
});

test("the configured key is called environment, and has no id", async () => {
  const environmentKey = { ...unusedKey, id: null, name: "environment", scope: "admin", createdAt: null };
  expect((await getCurrentKey()).json).toEqual(environmentKey);
});

test("other words in place of the id of a key get 404, and other methods on the current key get 405", async () => {
  expect((await call("/v1/keys/curren")).status).toBe(404);
  expect((await call("/v1/keys/current/rotate", { method: "POST" })).status).toBe(404);
  const refused = await call("/v1/keys/current", { method: "DELETE" });
  expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

it("keys are listed page by page, including those that no longer work", async (other) => {
  for (let count = 0; count < 5; count++) await addKey(other.store);
  await other.store.keys.revoke(2, 1, false);
  const keys = (await Array.fromAsync(other.client.walk("/v1/keys?limit=2"))) as unknown as { state: string }[];
  expect(keys.map(({ state }) => state)).toEqual(["active", "revoked", "active", "active", "active"]);
});
