import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { generateKey, hashKey, type NewKey, type Scope } from "../../src/domain/key.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
let now = Date.UTC(2027, 0, 1);
beforeAll(async () => {
  service = await startService({ clock: () => now });
});
afterAll(() => service[Symbol.asyncDispose]());

const makeKey = (scope: Scope, rest: Partial<NewKey> = {}) => addKey(service.store, { scope, createdAt: now, ...rest });

const plainChallenge = 'Bearer realm="animal-store"';
const invalidChallenge = 'Bearer realm="animal-store", error="invalid_token"';

describe("401", () => {
  test.each(["/v1/pets", "/v1/pets/1", "/v1/nothing", "/v1", "/v1/pets?limit=0", "/v1/openapi.xml"])(
    "comes before everything else at %s",
    async (path) => {
      for (const method of ["GET", "POST", "DELETE"]) {
        const answer = await service.client.call(path, { key: null, method });
        expect(answer.json).toEqual({
          code: "Unauthorized",
          message: "The API key is missing. Send it as Authorization: Bearer <API_KEY>.",
          status: 401,
        });
        expect(answer.headers.get("www-authenticate")).toBe(plainChallenge);
      }
    },
  );

  test("comes before a bad body is read", async () => {
    const answer = await service.client.call("/v1/pets", { key: null, method: "POST", body: "{".repeat(100_000) });
    expect(answer.status).toBe(401);
  });

  test.each(["Basic YTpi", "Bearer", "Bearer ", "Token abc", "ask_x"])(
    "says nothing of a token for %p",
    async (authorization) => {
      const answer = await service.client.call("/v1/pets", { headers: { authorization } });
      expect(answer.status).toBe(401);
      expect(answer.headers.get("www-authenticate")).toBe(plainChallenge);
    },
  );

  test.each(["nonsense", generateKey(), `${generateKey()}x`, "x".repeat(5000), "🦜"])(
    "says that the token is invalid for Bearer %s",
    async (key) => {
      const answer = await service.client.call("/v1/pets", {
        headers: { authorization: `Bearer ${encodeURIComponent(key)}` },
      });
      expect(answer.json).toMatchObject({ message: "The API key is not valid. Send another one.", status: 401 });
      expect(answer.headers.get("www-authenticate")).toBe(invalidChallenge);
    },
  );

  test("for a key of which any one character was changed", async () => {
    const { key } = await makeKey("read");
    expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
    for (let index = 0; index < key.length; index++) {
      const changed = key.slice(0, index) + (key[index] === "A" ? "B" : "A") + key.slice(index + 1);
      expect((await service.client.call("/v1/pets", { key: changed })).status).toBe(401);
    }
  });

  test("for a key that has expired, to the millisecond", async () => {
    const { key } = await makeKey("read", { expiresAt: now + 1000 });
    now += 999;
    expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
    now += 1;
    const answer = await service.client.call("/v1/pets", { key });
    expect(answer.json).toMatchObject({ message: "The API key is expired. Send another one.", status: 401 });
    expect(answer.headers.get("www-authenticate")).toBe(invalidChallenge);
  });

  test("for a revoked key, at most a second after it was revoked", async () => {
    const { key, id } = await makeKey("read");
    expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
    await service.store.keys.revoke(id, now, false);
    now += 1000;
    const answer = await service.client.call("/v1/pets", { key });
    expect(answer.json).toMatchObject({ message: "The API key is revoked. Send another one.", status: 401 });
  });

  test("for a revoked key, at most a second after it was revoked, whatever is done to the clock", async () => {
    let passed = 0;
    await using other = await startService({ clock: () => now, stopwatch: () => passed });
    const { key, id } = await addKey(other.store);
    expect((await other.client.call("/v1/pets", { key })).status).toBe(200);
    await other.store.keys.revoke(id, now, false);
    passed += 1000;
    expect((await other.client.call("/v1/pets", { key })).status).toBe(401);
  });
});

describe("a key", () => {
  test("works as soon as it is made, with the scheme in any case", async () => {
    const { key } = await makeKey("read");
    for (const scheme of ["Bearer", "bearer", "BEARER"]) {
      const answer = await service.client.call("/v1/pets", { headers: { authorization: `${scheme} ${key}` } });
      expect(answer.status).toBe(200);
    }
  });

  test("that only reads gets 403 for a write, which changes nothing", async () => {
    const { key } = await makeKey("read");
    const answer = await service.client.call("/v1/pets", { key, body: { name: "Rex", categoryId: 1 } });
    expect(answer.json).toEqual({
      code: "Forbidden",
      message: "This needs a key with the scope write; the scope of this one is read.",
      status: 403,
    });
    expect(answer.headers.get("www-authenticate")).toBe(
      'Bearer realm="animal-store", error="insufficient_scope", scope="write"',
    );
    expect((await service.client.call("/v1/pets", { key })).json).toEqual([]);
  });

  test("that only reads gets 403 and not 400 for a bad body", async () => {
    const { key } = await makeKey("read");
    expect((await service.client.call("/v1/pets", { key, method: "POST", body: "{" })).status).toBe(403);
  });

  test.each(["write", "admin"] as const)("with the scope %s reads and writes", async (scope) => {
    const { key } = await makeKey(scope);
    expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
    expect((await service.client.call("/v1/pets", { key, body: { name: "Rex", categoryId: 1 } })).status).toBe(201);
  });

  test("remembers when it was last used", async () => {
    await using other = await startService({ clock: () => now });
    const { key } = await addKey(other.store, { createdAt: now });
    await other.client.call("/v1/pets", { key });
    await other.service.recordUses();
    expect(await other.store.keys.find(hashKey(key))).toMatchObject({ lastUsedAt: now });
  });

  test("remembers when it was last used also after the clock was set back", async () => {
    let time = now;
    let passed = 0;
    await using other = await startService({ clock: () => time, stopwatch: () => passed });
    const { key } = await addKey(other.store);
    await other.client.call("/v1/pets", { key });
    await other.service.recordUses();
    time -= 86_400_000;
    passed += 1000;
    await other.client.call("/v1/pets", { key });
    await other.service.recordUses();
    expect(await other.store.keys.find(hashKey(key))).toMatchObject({ lastUsedAt: time });
  });
});
