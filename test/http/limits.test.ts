import { expect, test } from "bun:test";
import { pages } from "../../dist/pages.ts";
import { generateKey } from "../../src/domain/key-secret.ts";
import { createCertificate } from "../support/certificates.ts";
import { opensslSkipReason, testUnless } from "../support/conditional-test.ts";
import { engine } from "../support/database.ts";
import { type OpenedStream, openStream } from "../support/event-source.ts";
import { addKey } from "../support/keys.ts";
import { RawConnection } from "../support/raw.ts";
import { errorBody, startService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(() => start());

test("every response to a valid key shows its rate limit, and requests beyond the quota get 429 with Retry-After", async () => {
  let now = 1_020_000;
  await using service = await startService({ quota: { requests: 3, seconds: 60 }, clock: () => now });
  const { key } = await addKey(service.store, { scope: "admin" });
  const call = (path: string) => service.client.call(path, { key });
  const rateLimitOf = (response: Awaited<ReturnType<typeof call>>) => [
    response.status,
    response.headers.get("ratelimit-policy"),
    response.headers.get("ratelimit"),
    response.headers.get("retry-after"),
  ];
  const policy = '"default";q=3;w=60';
  expect(rateLimitOf(await call("/v1/pets"))).toEqual([200, policy, '"default";r=2;t=60', null]);
  now += 10_500;
  expect(rateLimitOf(await call("/v1/nothing"))).toEqual([404, policy, '"default";r=1;t=50', null]);
  expect(rateLimitOf(await call("/v1/pets?limit=0"))).toEqual([400, policy, '"default";r=0;t=50', null]);
  const refused = await call("/v1/pets");
  expect(rateLimitOf(refused)).toEqual([429, policy, '"default";r=0;t=50', "50"]);
  expect(refused.json).toEqual(
    errorBody(429, "TooManyRequests", "This key may make 3 requests per 60 seconds. Wait before the next one."),
  );
  now += 49_499;
  expect((await call("/v1/pets")).status).toBe(429);
  now += 1;
  expect(rateLimitOf(await call("/v1/pets"))).toEqual([200, policy, '"default";r=0;t=11', null]);
  expect(rateLimitOf(await call("/v1/pets"))).toEqual([429, policy, '"default";r=0;t=11', "11"]);
});

test("a rate limit admits no more than the quota in any window, wherever the window starts", async () => {
  const [requests, windowMs] = [20, 4_000];
  let now = 1_000_000;
  await using service = await startService({ quota: { requests, seconds: windowMs / 1000 }, clock: () => now });
  const admitted: number[] = [];
  for (const pauseMs of [0, 3_900, 100, 100, 2_000, 1_900, 50, ...Array(20).fill(370)]) {
    now += pauseMs;
    for (let count = 0; count < requests; count++) {
      if ((await service.client.call("/v1/pets")).status === 200) admitted.push(now);
    }
  }
  const inWindow = admitted.map((start) => admitted.filter((at) => at >= start && at < start + windowMs).length);
  expect(Math.max(...inWindow)).toBe(requests);
  expect(admitted.length).toBeGreaterThanOrEqual(3 * requests);
});

test("a rate limit counts each key separately, including the configured key, but does not count public requests", async () => {
  await using service = await startService({ quota: { requests: 1, seconds: 60 }, clock: () => 1_020_000 });
  const { key } = await addKey(service.store);
  expect((await service.client.call("/v1/pets", { key })).status).toBe(200);
  expect((await service.client.call("/v1/pets", { key })).status).toBe(429);
  expect((await service.client.call("/v1/pets")).status).toBe(200);
  expect((await service.client.call("/v1/pets")).status).toBe(429);
  for (const path of ["/healthz", "/readyz", "/readyz/reads", "/readyz/writes", "/v1/openapi.json"]) {
    const response = await service.client.call(path, { key });
    expect([response.status, response.headers.get("ratelimit")]).toEqual([200, null]);
  }
  const unknown = await service.client.call("/v1/pets", { key: null });
  expect([unknown.status, unknown.headers.get("ratelimit")]).toEqual([401, null]);
});

test("a request that the rate limit refuses changes nothing", async () => {
  await using service = await startService({ quota: { requests: 1, seconds: 60 }, clock: () => 1_020_000 });
  const { key } = await addKey(service.store, { scope: "write" });
  const create = () =>
    service.client.call("/v1/pets", {
      key,
      body: { name: "Rex", categoryId: 1 },
      headers: { "idempotency-key": "a" },
    });
  expect((await create()).status).toBe(201);
  expect((await create()).status).toBe(429);
  expect((await service.client.call("/v1/pets")).json).toHaveLength(1);
});

const isShared = engine === "postgres";
const reason = isShared ? " (skipped: PostgreSQL measures by the clock of the database)" : "";
test.skipIf(isShared)(`a rate limit measures elapsed time, even if the clock is set back${reason}`, async () => {
  let now = 100_000_000;
  await using service = await startService({
    quota: { requests: 1, seconds: 60 },
    clock: () => now,
    stopwatch: () => 0,
  });
  expect((await service.client.call("/v1/pets")).status).toBe(200);
  for (const step of [-86_400_000, 172_800_000]) {
    now += step;
    const refused = await service.client.call("/v1/pets");
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "60"]);
  }
});

test("responses have no rate limit headers without a rate limit", async () => {
  await using service = await startService();
  const { headers } = await service.client.call("/v1/pets");
  expect([headers.get("ratelimit"), headers.get("ratelimit-policy")]).toEqual([null, null]);
});

const start = async (parts: Parameters<typeof startService>[0] = {}) => {
  let now = 1_000_000;
  const service = await startService({ maxWrongKeys: 20, clock: () => now, ...parts });
  const from = (address: string) => ({ "x-forwarded-for": address });
  return {
    service,
    advanceClock: (milliseconds: number) => {
      now += milliseconds;
    },
    guess: async (key: string, address = "203.0.113.1") =>
      await service.client.call("/v1/pets", { key, headers: from(address) }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
};

it("wrong keys get 401, and after 20 of them 429 until a minute has passed", async (limited) => {
  for (let count = 0; count < 20; count++) expect((await limited.guess(generateKey())).status).toBe(401);
  limited.advanceClock(10_000);
  const response = await limited.guess(generateKey());
  expect(response.json).toEqual(
    errorBody(
      429,
      "TooManyRequests",
      "Too many wrong API keys were sent from this IP address. Wait before the next one.",
    ),
  );
  expect(response.headers.get("retry-after")).toBe("50");
  limited.advanceClock(50_000);
  expect((await limited.guess(generateKey())).status).toBe(401);
});

test.each([
  ["for=198.51.100.N", "for=203.0.113.7"],
  ['for=198.51.100.N;x="', "for=203.0.113.7"],
  ['for=198.51.100.N;x="', 'for="[2001:db8::1]"'],
  ['for=198.51.100.N;x="', 'for="203.0.113.7:80";by="_a"'],
  ['for=198.51.100.N;x="', 'for=203.0.113.7;host="a\\"b"'],
  ['for=198.51.100.N;x="\\', 'for="203.0.113.7"'],
  ['for=198.51.100.N;x="\\"', "for=203.0.113.7"],
  ['for=198.51.100.N;x=""y"', 'for="203.0.113.7";proto=http'],
])(
  "wrong keys count against the address that the proxy adds, whatever the client has sent: %s, %s",
  async (own, added) => {
    await using limited = await start({ maxWrongKeys: 2, trustedProxies: ["127.0.0.0/8"] });
    const statuses: number[] = [];
    for (const digit of [1, 2, 3]) {
      using connection = new RawConnection(limited.service.client.url);
      // Some proxies add a Forwarded header of their own instead of extending the client's.
      const forwarded = digit === 2 ? `${own}\r\nForwarded: ${added}` : `${own}, ${added}`;
      connection.send(
        `GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${generateKey()}\r\nForwarded: ${forwarded.replace("N", String(digit))}\r\n\r\n`,
      );
      statuses.push((await connection.response())?.status ?? 0);
    }
    expect(statuses).toEqual([401, 401, 429]);
    // Other clients of the proxy are not limited.
    const headers = { forwarded: "for=192.0.2.9" };
    expect((await limited.service.client.call("/v1/pets", { key: generateKey(), headers })).status).toBe(401);
  },
);

it("wrong keys never lock out a valid key, not even one that is used for the first time", async (limited) => {
  for (let count = 0; count < 25; count++) await limited.guess(generateKey());
  for (let count = 0; count < 150; count++) {
    const { key } = await addKey(limited.service.store);
    expect((await limited.guess(key)).status).toBe(200);
    expect((await limited.guess(generateKey())).status).toBe(429);
    expect((await limited.guess(key)).status).toBe(200);
  }
  expect((await limited.guess("a-key-for-tests-only")).status).toBe(200);
  expect((await limited.service.client.call("/v1/pets", { key: null })).status).toBe(401);
  expect((await limited.service.client.call("/healthz")).status).toBe(200);
});

it("wrong keys of all kinds count towards the limit: malformed, well-formed, and guesses at the configured key", async (limited) => {
  for (let count = 0; count < 7; count++) {
    for (const key of [`x${count}`, generateKey(), `a-key-for-tests-onl${count}`]) await limited.guess(key);
  }
  expect((await limited.guess("another")).status).toBe(429);
});

it("a wrong key that is repeated gets 401 each time, and counts towards the limit once", async (limited) => {
  const stale = generateKey();
  for (let count = 0; count < 50; count++) expect((await limited.guess(stale)).status).toBe(401);
  for (let count = 0; count < 19; count++) expect((await limited.guess(generateKey())).status).toBe(401);
  const late = generateKey();
  for (let count = 0; count < 3; count++) {
    expect((await limited.guess(late)).status).toBe(429);
    expect((await limited.guess(stale)).status).toBe(401);
  }
  limited.advanceClock(60_000);
  expect((await limited.guess(late)).status).toBe(401);
});

it("expired, revoked and missing keys do not count as wrong keys", async (limited) => {
  const { key, id } = await addKey(limited.service.store);
  await limited.service.store.keys.revoke(id, 1, false);
  for (let count = 0; count < 50; count++) {
    expect((await limited.guess(key)).status).toBe(401);
    await limited.service.client.call("/v1/pets", { key: null });
  }
  expect((await limited.guess("another")).status).toBe(401);
});

it("wrong keys count against the proxy's address unless the proxy is trusted", async (limited) => {
  for (let count = 0; count < 20; count++) await limited.guess(generateKey(), `203.0.113.${count}`);
  expect((await limited.guess("another", "203.0.113.99")).status).toBe(429);
});

test("wrong keys count against the client's address behind a trusted proxy", async () => {
  await using limited = await start({ trustedProxies: ["127.0.0.0/8", "::1"] });
  for (let count = 0; count < 20; count++) await limited.guess(generateKey(), `198.51.100.${count}, 203.0.113.7`);
  expect((await limited.guess("another", "203.0.113.7")).status).toBe(429);
  expect((await limited.guess("another", "203.0.113.8")).status).toBe(401);
});

const anonymousPaths = ["/v1/pets", "/v1/nowhere", "/v1/openapi.json", "/nowhere"];

test.each(anonymousPaths)(
  "anonymous requests to %s are limited per address, and valid keys still work",
  async (path) => {
    let now = 1_000_000;
    await using service = await startService({
      anonymousQuota: { requests: 3, seconds: 10 },
      trustedProxies: ["127.0.0.0/8"],
      clock: () => now,
    });
    const from = (address: string) => service.client.call(path, { key: null, headers: { "x-forwarded-for": address } });
    for (let count = 0; count < 3; count++) expect((await from("203.0.113.1")).status).not.toBe(429);
    const refused = await from("203.0.113.1");
    expect(refused.json).toEqual(
      errorBody(
        429,
        "TooManyRequests",
        "Too many requests without an API key, or malformed ones, were sent from this IP address. Wait before the next one.",
      ),
    );
    expect(refused.headers.get("retry-after")).toBe("10");
    expect((await from("203.0.113.2")).status).not.toBe(429);
    const withKey = await service.client.call("/v1/pets", { headers: { "x-forwarded-for": "203.0.113.1" } });
    expect(withKey.status).toBe(200);
    now += 10_000;
    expect((await from("203.0.113.1")).status).not.toBe(429);
  },
);

test("anonymous requests to the console, its files and other HTML pages are limited per address", async () => {
  await using service = await startService({
    pages,
    anonymousQuota: { requests: 1, seconds: 10 },
    trustedProxies: ["127.0.0.0/8"],
  });
  const paths = [...Object.keys(pages), "/docs", "/docs/errors", "/robots.txt"];
  expect(paths).toContain("/animals");
  expect(paths.some((path) => path.startsWith("/assets/"))).toBe(true);
  for (const [index, path] of paths.entries()) {
    const headers = { "x-forwarded-for": `203.0.113.${index}` };
    const ask = async () => (await service.client.call(path, { key: null, headers })).status;
    expect([path, (await ask()) < 400, await ask()]).toEqual([path, true, 429]);
  }
});

test.each<[string, object, () => string | null, string]>([
  ["wrong keys", { maxWrongKeys: 1 }, generateKey, "60"],
  ["anonymous requests", { anonymousQuota: { requests: 1, seconds: 10 } }, () => null, "10"],
])("%s are limited over elapsed time, even if the clock is set back", async (_, limit, makeKey, retryAfter) => {
  let now = 100_000_000;
  const trustedProxies = ["127.0.0.0/8"];
  await using service = await startService({ ...limit, trustedProxies, clock: () => now, stopwatch: () => 0 });
  const headers = { "x-forwarded-for": "203.0.113.1" };
  const ask = () => service.client.call("/v1/pets", { key: makeKey(), headers });
  expect((await ask()).status).toBe(401);
  for (const step of [-86_400_000, 172_800_000]) {
    now += step;
    const refused = await ask();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, retryAfter]);
  }
});

test("health checks are never limited", async () => {
  await using service = await startService({ anonymousQuota: { requests: 1, seconds: 10 } });
  for (const path of ["/healthz", "/readyz", "/readyz/reads", "/readyz/writes"]) {
    for (let count = 0; count < 5; count++) {
      expect((await service.client.call(path, { key: null })).status).toBe(200);
    }
  }
});

test.each([
  ["a malformed Host", "GET /v1/pets HTTP/1.1\r\nHost: x y\r\n"],
  ["two Hosts on a health check", "GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n"],
  ["a fragment", "GET /nowhere#x HTTP/1.1\r\nHost: x\r\n"],
  ["two lengths", "GET /v1/pets HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 0\r\n"],
  ["a malformed Host and a guessed key", "GET /v1/pets HTTP/1.1\r\nHost: x y\r\nAuthorization: Bearer a-guess\r\n"],
])("malformed requests count as anonymous: %s", async (_, start) => {
  await using service = await startService({
    anonymousQuota: { requests: 2, seconds: 10 },
    trustedProxies: ["127.0.0.0/8"],
  });
  const from = async (address: string) => {
    using connection = new RawConnection(service.client.url);
    const response = await connection.send(`${start}X-Forwarded-For: ${address}\r\n\r\n`).response();
    return [response?.status, response?.headers.get("connection")];
  };
  const responses = [];
  for (let count = 0; count < 3; count++) responses.push(await from("203.0.113.1"));
  expect(responses).toEqual([
    [400, "close"],
    [400, "close"],
    [429, "close"],
  ]);
  expect(await from("203.0.113.2")).toEqual([400, "close"]);
});

test("preflight requests count as anonymous", async () => {
  await using service = await startService({
    anonymousQuota: { requests: 1, seconds: 10 },
    trustedProxies: ["127.0.0.0/8"],
    corsOrigins: ["*"],
  });
  const preflight = () =>
    service.client.call("/v1/pets", {
      method: "OPTIONS",
      key: null,
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        "x-forwarded-for": "203.0.113.1",
      },
    });
  expect([(await preflight()).status, (await preflight()).status]).toEqual([204, 429]);
});

testUnless(
  opensslSkipReason(),
  "the maximum number of requests in progress holds for the listeners of all certificates together",
  async () => {
    const certificate = createCertificate("service");
    await using service = await startService({ certificate, maxConnections: 2 });
    const { client } = service;
    const streams: OpenedStream[] = [];
    for (let round = 0; round < 2; round++) {
      streams.push(await openStream(client));
      service.service.renewCertificate(certificate);
    }
    const refused = await client.call("/v1/pets");
    expect(refused.json).toEqual(
      errorBody(503, "ServiceUnavailable", "The service has too many requests in progress. Try again in a moment."),
    );
    expect((await client.call("/healthz")).status).toBe(200);
    for (const stream of streams) stream.close();
  },
);

test("the maximum number of requests in progress applies to public requests too, but not to health checks", async () => {
  await using full = await startService({ maxConnections: 0 });
  const fetchStatus = async (path: string) => (await full.client.call(path, { key: null })).status;
  for (const path of ["/v1/openapi.json", "/docs/errors", "/robots.txt", "/nowhere"]) {
    expect([path, await fetchStatus(path)]).toEqual([path, 503]);
  }
  for (const path of ["/healthz", "/readyz"]) expect([path, await fetchStatus(path)]).toEqual([path, 200]);
});
