import { afterAll, expect, spyOn, test } from "bun:test";
import { KnownKeys } from "../../src/access/known-keys.ts";
import type { Awaitable } from "../../src/base/awaitable.ts";
import { nextTick } from "../../src/base/tick.ts";
import { ServiceError } from "../../src/domain/errors.ts";
import type { Caller, Key, NewKey, Scope } from "../../src/domain/key.ts";
import { generateKey, hashKey } from "../../src/domain/key-secret.ts";
import { EventReaders } from "../../src/feed/readers.ts";
import { Authenticator } from "../../src/http/access/authentication.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import { type RouteParts, reauthenticate } from "../../src/http/route-parts.ts";
import { Registry } from "../../src/metrics/registry.ts";
import type { Store } from "../../src/store/store.ts";
import { addKey } from "../support/keys.ts";
import { watchMetrics } from "../support/metrics.ts";
import { RawConnection } from "../support/raw.ts";
import { errorBody, startService } from "../support/service.ts";
import { until } from "../support/wait.ts";

let now = Date.UTC(2027, 0, 1);
const service = await startService({ clock: () => now });
afterAll(() => service[Symbol.asyncDispose]());

const makeKey = (scope: Scope, rest: Partial<NewKey> = {}) => addKey(service.store, { scope, createdAt: now, ...rest });

/** Lets the store look up keys at once, but delays the results until `release` is called. */
function delayLookUps({ keys }: Store): Disposable & { lookUps: Awaitable<Key | undefined>[]; release(): void } {
  const find = keys.findByHash.bind(keys);
  const lookUps: Awaitable<Key | undefined>[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  keys.findByHash = async (hash) => {
    const found = find(hash);
    lookUps.push(found);
    await released;
    return await found;
  };
  return { lookUps, release, [Symbol.dispose]: release };
}

/** Captures the callbacks that `begin` passes to setInterval, so that the caller can run them. */
function captureTimers(begin: () => void): { run: () => void; everyMs: number }[] {
  const timers: { run: () => void; everyMs: number }[] = [];
  const fake = (run: () => void, everyMs: number) => timers.push({ run, everyMs });
  using _ = spyOn(globalThis, "setInterval").mockImplementation(fake as unknown as typeof setInterval);
  begin();
  return timers;
}

const plainChallenge = 'Bearer realm="animal-store"';
const invalidChallenge = 'Bearer realm="animal-store", error="invalid_token"';

test.each(["/v1/pets", "/v1/pets/1", "/v1/nothing", "/v1", "/v1/pets?limit=0", "/v1/openapi.xml"])(
  "a request without a key gets 401 before any other error at %s",
  async (path) => {
    for (const method of ["GET", "POST", "DELETE"]) {
      const response = await service.client.call(path, { key: null, method });
      expect(response.json).toEqual(
        errorBody(401, "Unauthorized", "The API key is missing. Send it as Authorization: Bearer <API_KEY>."),
      );
      expect(response.headers.get("www-authenticate")).toBe(plainChallenge);
    }
  },
);

test("a request without a key gets 401 before its invalid body is read", async () => {
  const response = await service.client.call("/v1/pets", { key: null, method: "POST", body: "{".repeat(100_000) });
  expect(response.status).toBe(401);
});

test.each(["Basic YTpi", "Bearer", "Bearer ", "Token abc", "ask_x"])(
  "the 401 response to Authorization: %p does not mention an invalid token",
  async (authorization) => {
    const response = await service.client.call("/v1/pets", { headers: { authorization } });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe(plainChallenge);
  },
);

test.each(["nonsense", generateKey(), `${generateKey()}x`, "x".repeat(5000), "🦜"])(
  "the 401 response to Bearer %s says that the token is invalid",
  async (key) => {
    const response = await service.client.call("/v1/pets", {
      headers: { authorization: `Bearer ${encodeURIComponent(key)}` },
    });
    expect(response.json).toMatchObject({ message: "The API key is not valid. Use another one.", status: 401 });
    expect(response.headers.get("www-authenticate")).toBe(invalidChallenge);
  },
);

test("a key with any one character changed gets 401", async () => {
  const { key } = await makeKey("read");
  expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
  for (let index = 0; index < key.length; index++) {
    const changed = key.slice(0, index) + (key[index] === "A" ? "B" : "A") + key.slice(index + 1);
    expect((await service.client.call("/v1/pets", { key: changed })).status).toBe(401);
  }
});

test("a key gets 401 from the millisecond at which it expires", async () => {
  const { key } = await makeKey("read", { expiresAt: now + 1000 });
  now += 999;
  expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
  now += 1;
  const response = await service.client.call("/v1/pets", { key });
  expect(response.json).toMatchObject({ message: "The API key is expired. Use another one.", status: 401 });
  expect(response.headers.get("www-authenticate")).toBe(invalidChallenge);
});

test("a revoked key gets 401 within a second", async () => {
  const { key, id } = await makeKey("read");
  expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
  await service.store.keys.revoke(id, now, false);
  now += 1000;
  const response = await service.client.call("/v1/pets", { key });
  expect(response.json).toMatchObject({ message: "The API key is revoked. Use another one.", status: 401 });
});

test("a revoked key gets 401 within a second, whatever happens to the clock", async () => {
  let elapsedMs = 0;
  await using other = await startService({ clock: () => now, stopwatch: () => elapsedMs });
  const { key, id } = await addKey(other.store);
  expect((await other.client.call("/v1/pets", { key })).status).toBe(200);
  await other.store.keys.revoke(id, now, false);
  elapsedMs += 1000;
  expect((await other.client.call("/v1/pets", { key })).status).toBe(401);
});

test("a reader that waits for events is refused within a second after its key was revoked", async () => {
  let elapsedMs = 0;
  const { key, id } = await makeKey("read");
  const { keys } = service.store;
  const authenticator = new Authenticator(
    new KnownKeys(
      keys,
      () => now,
      () => elapsedMs,
    ),
  );
  const request = new Request(service.client.url.href, { headers: { authorization: `Bearer ${key}` } });
  const exchange = { request, token: key, clientAddress: () => "127.0.0.1" } as unknown as Exchange;
  const check = () => reauthenticate({ authenticator } as RouteParts, exchange);
  const readers = new EventReaders(new Registry(), 1);
  const others = { check() {}, refuse() {}, finish() {} };
  const timers = captureTimers(() => readers.enter({ key: "environment" } as Caller, others));
  // The worst case: the key is looked up, and then revoked, just after a check of all readers.
  elapsedMs = 1;
  await check();
  const refused = Promise.withResolvers<unknown>();
  readers.enter({ key: id } as Caller, { ...others, check, refuse: refused.resolve });
  await keys.revoke(id, now, false);
  using lookUps = spyOn(keys, "findByHash");
  for (const { run, everyMs } of timers) {
    for (elapsedMs = everyMs; elapsedMs <= 1_000; elapsedMs += everyMs) {
      run();
      await nextTick();
    }
  }
  expect(lookUps).toHaveBeenCalled();
  expect(await refused.promise).toMatchObject({ code: "Unauthorized" });
});

test("a revoked key gets 401 even while an earlier look-up hangs, and after that look-up has ended", async () => {
  let elapsedMs = 0;
  await using other = await startService({ stopwatch: () => elapsedMs });
  const { key, id } = await addKey(other.store);
  using delayed = delayLookUps(other.store);
  const { lookUps } = delayed;
  const slow = other.client.call("/v1/pets", { key });
  await until(() => lookUps.length === 1);
  await lookUps[0];
  await other.store.keys.revoke(id, now, false);
  elapsedMs += 1000;
  const later = other.client.call("/v1/pets", { key });
  await until(() => lookUps.length === 2);
  delayed.release();
  expect((await later).status).toBe(401);
  // The key was still valid when this request arrived.
  expect((await slow).status).toBe(200);
  expect((await other.client.call("/v1/pets", { key })).status).toBe(401);
  expect(lookUps).toHaveLength(2);
});

test("a key is looked up once a second, however many clients use it", async () => {
  let elapsedMs = 0;
  await using other = await startService({ stopwatch: () => elapsedMs });
  const { key } = await addKey(other.store);
  using delayed = delayLookUps(other.store);
  const { lookUps } = delayed;
  const call = () => other.client.call("/v1/pets", { key });
  const first = Array.from({ length: 200 }, call);
  await until(() => lookUps.length > 0);
  // Health checks that are sent later and answered show that the other requests have arrived.
  for (let round = 0; round < 20; round++) await other.client.call("/healthz");
  delayed.release();
  expect(new Set((await Promise.all(first)).map(({ status }) => status))).toEqual(new Set([200]));
  for (let second = 1; second <= 3; second++) {
    await Promise.all(Array.from({ length: 50 }, call));
    expect(lookUps).toHaveLength(second);
    elapsedMs += 1000;
  }
});

test("a valid key does not wait for guessed keys of other clients, which are looked up two at a time", async () => {
  await using other = await startService({ maxWrongKeys: 5, trustedProxies: ["127.0.0.0/8", "::1"] });
  await using watched = watchMetrics(other);
  const [{ key }, { key: theirs }] = [await addKey(other.store), await addKey(other.store)];
  const call = (token: string, address: string) =>
    other.client.call("/v1/pets", { key: token, headers: { "x-forwarded-for": address } });
  for (let count = 0; count < 5; count++) expect((await call(generateKey(), "203.0.113.1")).status).toBe(401);
  using delayed = delayLookUps(other.store);
  const { lookUps } = delayed;
  const guesses = Array.from({ length: 50 }, () => call(generateKey(), "203.0.113.1"));
  const neighbour = call(theirs, "203.0.113.1");
  await watched.until((scrape) => scrape.value("animal_store_requests_in_flight") === guesses.length + 1);
  expect(lookUps).toHaveLength(2);
  const elsewhere = call(key, "203.0.113.2");
  await until(() => lookUps.length === 3);
  delayed.release();
  expect((await elsewhere).status).toBe(200);
  expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([429]));
  expect((await neighbour).status).toBe(200);
  expect(lookUps).toHaveLength(guesses.length + 2);
});

test("a key that was valid recently is looked up at once, even if its address has sent many wrong keys", async () => {
  let elapsedMs = 0;
  await using other = await startService({ maxWrongKeys: 1, stopwatch: () => elapsedMs });
  const { key } = await addKey(other.store);
  const call = (token: string) => other.client.call("/v1/pets", { key: token });
  expect((await call(key)).status).toBe(200);
  expect((await call(generateKey())).status).toBe(401);
  elapsedMs += 1_000;
  using delayed = delayLookUps(other.store);
  const { lookUps } = delayed;
  const guesses = Array.from({ length: 10 }, () => call(generateKey()));
  await until(() => lookUps.length === 2);
  const known = call(key);
  await until(() => lookUps.length === 3);
  delayed.release();
  expect((await known).status).toBe(200);
  expect(new Set((await Promise.all(guesses)).map(({ status }) => status))).toEqual(new Set([429]));
});

test("the age of a cached key counts from the start of its look-up, not from when the look-up was queued", async () => {
  let elapsedMs = 0;
  await using other = await startService({ maxWrongKeys: 1, stopwatch: () => elapsedMs });
  const { key } = await addKey(other.store);
  const call = (token: string) => other.client.call("/v1/pets", { key: token });
  expect((await call(generateKey())).status).toBe(401);
  using delayed = delayLookUps(other.store);
  const guesses = [generateKey(), generateKey()].map(call);
  await until(() => delayed.lookUps.length === 2);
  const waiting = call(key);
  for (let round = 0; round < 20; round++) await other.client.call("/healthz");
  elapsedMs += 5_000;
  delayed.release();
  expect((await waiting).status).toBe(200);
  await Promise.all(guesses);
  const { length } = delayed.lookUps;
  expect((await call(key)).status).toBe(200);
  expect(delayed.lookUps).toHaveLength(length);
});

test("after the look-up of a key has failed, the next request looks the key up again", async () => {
  await using other = await startService();
  const { key } = await addKey(other.store);
  const { keys } = other.store;
  const { findByHash: find } = keys;
  keys.findByHash = () => {
    throw new ServiceError("ServiceUnavailable", "The store cannot be reached now; try again.");
  };
  expect((await other.client.call("/v1/pets", { key })).status).toBe(503);
  keys.findByHash = find;
  expect((await other.client.call("/v1/pets", { key })).status).toBe(200);
});

test("a key works as soon as it is created, whether the scheme Bearer is in upper or lower case", async () => {
  const { key } = await makeKey("read");
  for (const scheme of ["Bearer", "bearer", "BEARER"]) {
    const response = await service.client.call("/v1/pets", { headers: { authorization: `${scheme} ${key}` } });
    expect(response.status).toBe(200);
  }
});

test("a write with a read-only key gets 403 and changes nothing", async () => {
  const { key } = await makeKey("read");
  const response = await service.client.call("/v1/pets", { key, body: { name: "Rex", categoryId: 1 } });
  expect(response.json).toEqual(
    errorBody(403, "Forbidden", "This needs a key with the scope write; the scope of this one is read."),
  );
  expect(response.headers.get("www-authenticate")).toBe(
    'Bearer realm="animal-store", error="insufficient_scope", scope="write"',
  );
  expect((await service.client.call("/v1/pets", { key })).json).toEqual([]);
});

test("a read-only key gets 403, not 400, for an invalid body", async () => {
  const { key } = await makeKey("read");
  expect((await service.client.call("/v1/pets", { key, method: "POST", body: "{" })).status).toBe(403);
});

test.each(["write", "admin"] as const)("a key with the scope %s reads and writes", async (scope) => {
  const { key } = await makeKey(scope);
  expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
  expect((await service.client.call("/v1/pets", { key, body: { name: "Rex", categoryId: 1 } })).status).toBe(201);
});

test("the last use of a key is recorded even if it could not be saved at first", async () => {
  await using other = await startService({ clock: () => now });
  const { keys } = other.store;
  const { key } = await addKey(other.store, { createdAt: now });
  await other.client.call("/v1/pets", { key });
  const recordUse = keys.recordUse.bind(keys);
  keys.recordUse = () => Promise.reject(new Error("The store cannot be reached."));
  await other.service.recordUses();
  keys.recordUse = recordUse;
  await other.service.recordUses();
  expect(await keys.findByHash(hashKey(key))).toMatchObject({ lastUsedAt: now });
});

test("the last use of a key is recorded even after the clock was set back", async () => {
  let time = now;
  let elapsedMs = 0;
  await using other = await startService({ clock: () => time, stopwatch: () => elapsedMs });
  const { key } = await addKey(other.store);
  await other.client.call("/v1/pets", { key });
  await other.service.recordUses();
  time -= 86_400_000;
  elapsedMs += 1000;
  await other.client.call("/v1/pets", { key });
  await other.service.recordUses();
  expect(await other.store.keys.findByHash(hashKey(key))).toMatchObject({ lastUsedAt: time });
});

test.each<[string, (store: Store, id: number) => Promise<unknown>]>([
  ["because it was revoked", ({ keys }, id) => keys.revoke(id, now, false)],
  [
    "because it was replaced",
    ({ keys }, id) =>
      keys.rotate(id, { at: now, retiresAt: now, keepLastAdmin: false }, { hash: hashKey(generateKey()) }),
  ],
])("a request whose key stops working before the body arrives gets 401 and changes nothing: %s", async (_, end) => {
  let elapsedMs = 0;
  await using other = await startService({ clock: () => now, stopwatch: () => elapsedMs });
  const { key, id } = await addKey(other.store, { scope: "admin", createdAt: now - 1 });
  const body = '{"name":"evil","scope":"admin"}';
  using connection = new RawConnection(other.client.url);
  connection.send(
    `POST /v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, 5)}`,
  );
  // The key is authenticated before it stops working.
  expect((await other.client.call("/v1/pets", { key })).status).toBe(200);
  await end(other.store, id);
  elapsedMs += 1000;
  expect((await other.client.call("/v1/pets", { key })).status).toBe(401);
  const response = await connection.send(body.slice(5)).response();
  expect(response?.status).toBe(401);
  const { items } = await other.store.keys.list({ limit: 10 });
  expect(items.map(({ name }) => name)).not.toContain("evil");
});
