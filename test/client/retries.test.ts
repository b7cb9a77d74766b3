import { afterAll, expect, test } from "bun:test";
import {
  AnimalStore,
  type AnimalStoreOptions,
  ApiError,
  ConflictError,
  ConnectionError,
  InvalidResponseError,
  NotFoundError,
  PreconditionFailedError,
  RateLimitedError,
  ServiceUnavailableError,
  TimeoutError,
} from "../../packages/client/src/index.ts";
import { computeRetryDelayMs } from "../../packages/client/src/sender.ts";
import { startService } from "../support/service.ts";
import { type Fault, UnreliableProxy } from "../support/unreliable-proxy.ts";
import { pause, until } from "../support/wait.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

async function startNetwork(faults: Fault[], options: Partial<AnimalStoreOptions> = {}) {
  const proxy = await UnreliableProxy.withFaults(service.client.url, ...faults);
  const store = new AnimalStore({ baseUrl: proxy.url, apiKey: service.client.key, ...options });
  return { proxy, store, [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose]() };
}

const catchFailure = async (call: PromiseLike<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error) => error,
  );

const countPets = async (name: string) => {
  const store = new AnimalStore({ baseUrl: service.client.url, apiKey: service.client.key });
  const all = await Array.fromAsync(store.pets.list({ limit: 100 }));
  return all.filter((pet) => pet.name === name).length;
};

const faults: [string, Fault][] = [
  ["gets no connection", "refuse"],
  ["loses its response", "lose"],
  ["gets half of its response", "cut"],
  ["arrives twice", "double"],
  ["gets 503 from a proxy", { status: 503, headers: { "retry-after": "0" } }],
  ["gets 502 from a proxy", { status: 502, body: "<html>" }],
  ["gets 504 from a proxy", { status: 504, body: "<html>" }],
  ["gets 500", { status: 500 }],
  ["gets 408", { status: 408 }],
  ["gets an HTML page from a proxy", { status: 200, body: "<html>" }],
];
test.each(faults)("an animal is created once if the request %s", async (effect, fault) => {
  await using network = await startNetwork([fault, fault]);
  const { data, status, headers } = await network.store.pets.create({ name: effect, categoryId: 7 }).withResponse();
  expect([data.name, status as number, headers.get("Location")]).toEqual([effect, 201, `/v1/pets/${data.id}`]);
  expect(await countPets(effect)).toBe(1);
  const keys = network.proxy.seen.map(({ headers }) => headers["idempotency-key"]);
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test("an animal is created once if the first attempt gets no response in time", async () => {
  await using network = await startNetwork(["swallow"], { timeoutMs: 1_000, maxRetries: 100 });
  await network.store.pets.create({ name: "swallowed", categoryId: 7 });
  expect(network.proxy.seen.length).toBeGreaterThan(1);
  expect(await countPets("swallowed")).toBe(1);
});

test("each call has a new idempotency key, unless its options contain one", async () => {
  await using network = await startNetwork([]);
  const first = await network.store.pets.create({ name: "a", categoryId: 7 }, { idempotencyKey: "mine" });
  const again = await network.store.pets
    .create({ name: "a", categoryId: 7 }, { idempotencyKey: "mine" })
    .withResponse();
  expect([again.data, again.headers.get("Idempotent-Replayed")]).toEqual([first, "true"]);
  expect((await network.store.pets.create({ name: "a", categoryId: 7 })).id).not.toBe(first.id);
});

test.each([
  ["GET", (store: AnimalStore) => store.inventory.get()],
  ["PUT", (store: AnimalStore) => store.categories.put(1, { name: "Dogs" })],
  ["DELETE", (store: AnimalStore) => store.categories.delete(1)],
] as const)("%s is retried after a lost response", async (method, call) => {
  await using network = await startNetwork(["refuse", "refuse"]);
  await call(network.store);
  expect(network.proxy.seen.map((request) => request.method)).toEqual([method, method, method]);
});

test("PATCH is not retried after a lost response, because another client may have changed the animal since", async () => {
  await using network = await startNetwork(["pass", "lose"]);
  const { id } = await network.store.pets.create({ name: "Rex", categoryId: 7 });
  const failure = await catchFailure(network.store.pets.update(id, { name: "Rexy" }));
  expect(failure).toBeInstanceOf(ConnectionError);
  expect((failure as ConnectionError).mayHaveSucceeded).toBe(true);
  expect(network.proxy.seen).toHaveLength(2);
});

test("PATCH is retried with ifMatch, and a 412 then says that the change may have succeeded", async () => {
  await using network = await startNetwork(["pass", "pass", "lose"]);
  const { id } = await network.store.pets.create({ name: "Rex", categoryId: 7 });
  const { headers } = await network.store.pets.find(id).withResponse();
  const failure = await catchFailure(network.store.pets.update(id, { name: "Rexy" }, { ifMatch: headers.get("ETag") }));
  expect(failure).toBeInstanceOf(PreconditionFailedError);
  expect((failure as PreconditionFailedError).mayHaveSucceeded).toBe(true);
  expect((await network.store.pets.find(id))?.name).toBe("Rexy");
});

test("PATCH is retried after a 429, because the service did nothing", async () => {
  await using network = await startNetwork(["pass", { status: 429, headers: { "retry-after": "0" } }]);
  const { id } = await network.store.pets.create({ name: "Rex", categoryId: 7 });
  expect((await network.store.pets.update(id, { name: "Rexy" })).name).toBe("Rexy");
});

test("a call that the service refuses is not retried", async () => {
  await using network = await startNetwork([]);
  const failure = await catchFailure(network.store.orders.place({ petId: 9_999 }));
  expect(failure).toBeInstanceOf(ConflictError);
  expect((failure as ConflictError).mayHaveSucceeded).toBe(false);
  expect(await catchFailure(network.store.orders.get(9_999))).toBeInstanceOf(NotFoundError);
  expect(network.proxy.seen).toHaveLength(2);
});

test("a call fails with the last error after its retries", async () => {
  await using network = await startNetwork(["refuse", "refuse", { status: 503 }], { maxRetries: 2 });
  expect(await catchFailure(network.store.inventory.get())).toBeInstanceOf(ServiceUnavailableError);
  expect(network.proxy.seen).toHaveLength(3);
});

test("a call with maxRetries: 0 makes only one attempt, even if the client allows more", async () => {
  await using network = await startNetwork(["lose", "swallow"], { maxRetries: 10 });
  const create = network.store.pets.create({ name: "once", categoryId: 7 }, { maxRetries: 0 });
  expect(await catchFailure(create)).toBeInstanceOf(ConnectionError);
  expect(network.proxy.seen).toHaveLength(1);
});

test("a call fails when an attempt takes too long", async () => {
  await using network = await startNetwork(["swallow"], { maxRetries: 0, timeoutMs: 50 });
  const failure = await catchFailure(network.store.pets.create({ name: "late", categoryId: 7 }));
  expect(failure).toBeInstanceOf(TimeoutError);
  expect((failure as TimeoutError).mayHaveSucceeded).toBe(true);
});

test("a call fails when all attempts together take too long", async () => {
  await using network = await startNetwork(Array(100).fill("swallow"), {
    maxRetries: 1_000,
    deadlineMs: 1_000,
    timeoutMs: 200,
  });
  const failure = await catchFailure(network.store.inventory.get());
  expect(failure).toBeInstanceOf(TimeoutError);
  expect((failure as TimeoutError).message).toMatch(/^The response did not arrive within \d+ ms\.$/);
  expect(network.proxy.seen.length).toBeLessThan(7);
});

test("a call fails at once if Retry-After is longer than maxRetryAfterMs", async () => {
  const busy = { status: 429, headers: { "retry-after": "3600" } };
  await using network = await startNetwork([busy, busy], { deadlineMs: 100_000_000 });
  const failure = await catchFailure(network.store.inventory.get());
  expect(failure).toBeInstanceOf(RateLimitedError);
  expect([(failure as RateLimitedError).retryAfterMs, network.proxy.seen.length]).toEqual([3_600_000, 1]);
});

test("a call fails at once if the wait would be longer than the deadline", async () => {
  await using network = await startNetwork([{ status: 429, headers: { "retry-after": "30" } }], { deadlineMs: 20_000 });
  expect(await catchFailure(network.store.inventory.get())).toBeInstanceOf(RateLimitedError);
});

test("a call fails at its deadline, even if an attempt may take longer", async () => {
  const busy = { status: 503, headers: { "retry-after": "0" } };
  await using network = await startNetwork([busy, "swallow"], { timeoutMs: 100_000_000, deadlineMs: 3_000 });
  const failure = await catchFailure(network.store.inventory.get());
  expect(failure).toBeInstanceOf(TimeoutError);
  const [, limitMs] = /^The response did not arrive within (\d+) ms\.$/.exec((failure as TimeoutError).message) ?? [];
  expect(Number(limitMs)).toBeWithin(1, 3_001);
});

test("an aborted call fails with the reason of its signal, before it begins and while it is in flight", async () => {
  const reason = new Error("enough");
  await using network = await startNetwork(["swallow"]);
  expect(await catchFailure(network.store.inventory.get({ signal: AbortSignal.abort(reason) }))).toBe(reason);
  expect(network.proxy.seen).toHaveLength(0);
  const controller = new AbortController();
  const call = catchFailure(network.store.inventory.get({ signal: controller.signal }));
  await until(() => network.proxy.seen.length === 1);
  controller.abort(reason);
  expect(await call).toBe(reason);
});

test("a call that is aborted while it waits for a retry fails with the reason of its signal", async () => {
  const reason = new Error("enough");
  let isRead = false;
  const busy = new Response(null, { status: 429, headers: { "retry-after": "1000000" } });
  const text = async () => {
    isRead = true;
    return "";
  };
  Object.defineProperty(busy, "text", { value: text });
  const store = new AnimalStore({
    baseUrl: service.client.url,
    apiKey: service.client.key,
    fetch: (async () => busy) as unknown as typeof globalThis.fetch,
    deadlineMs: Number.POSITIVE_INFINITY,
    maxRetryAfterMs: Number.POSITIVE_INFINITY,
  });
  const controller = new AbortController();
  const call = catchFailure(store.inventory.get({ signal: controller.signal }));
  await until(() => isRead);
  // The pause lets the call begin its wait.
  await pause();
  controller.abort(reason);
  expect(await call).toBe(reason);
});

test("a call fails if the response does not come from the service", async () => {
  await using network = await startNetwork([
    { status: 200, body: "<html>" },
    { status: 418, body: "<html>" },
    { status: 418, body: '{"code":"Conflict"}' },
    { status: 418, body: '{"detail":"Come back later."}' },
  ]);
  const html = await catchFailure(network.store.inventory.get({ maxRetries: 0 }));
  expect(html).toBeInstanceOf(InvalidResponseError);
  for (let attempt = 0; attempt < 3; attempt++) {
    const teapot = (await catchFailure(network.store.inventory.get())) as ApiError;
    expect(teapot).toBeInstanceOf(ApiError);
    expect([teapot.code, teapot.status]).toEqual(["Unknown", 418]);
    expect(teapot.message).toStartWith("The response was 418");
  }
});

const once = { maxRetries: 0 } as const;
const calls: [string, (store: AnimalStore) => PromiseLike<unknown>][] = [
  ["an object", (store) => store.inventory.get(once)],
  ["a list", (store) => store.pets.list({}, once).page()],
  ["an animal", (store) => store.pets.find(1, once)],
  ["an export", (store) => store.pets.export(once)],
  ["a stream", (store) => store.events.stream({}, once)[Symbol.asyncIterator]().next()],
];
for (const [resultKind, call] of calls) {
  test.each([
    ["nothing", { status: 204 }],
    ["an empty body", { status: 200 }],
    ["null", { status: 200, body: "null" }],
    ["a text", { status: 200, body: '"Rex"' }],
    ["an HTML page", { status: 200, headers: { "content-type": "text/html" }, body: "<html>\n" }],
    ...(resultKind === "an object" ? [] : [["an object", { status: 200, body: "{}" }] as const]),
  ] as const)(`a call for ${resultKind} fails with InvalidResponseError if the response is %s`, async (_, fault) => {
    await using network = await startNetwork([fault]);
    expect(await catchFailure(call(network.store))).toBeInstanceOf(InvalidResponseError);
  });
}

test("the client does not follow a redirect: the call fails, and the error names the target", async () => {
  const redirect = { status: 308, headers: { location: "https://elsewhere.example/v1/pets" } };
  await using network = await startNetwork([redirect, redirect]);
  const failure = (await catchFailure(network.store.pets.create({ name: "Rex", categoryId: 7 }))) as ApiError;
  expect([failure.constructor, failure.status, failure.mayHaveSucceeded]).toEqual([ApiError, 308, false]);
  expect(failure.message).toBe(
    "The response is a redirect to https://elsewhere.example/v1/pets, which is not followed. Use the URL of the service itself.",
  );
  const stream = network.store.events.stream()[Symbol.asyncIterator]();
  expect(await catchFailure(stream.next())).toBeInstanceOf(ApiError);
  expect(network.proxy.seen).toHaveLength(2);
});

test("a connection error contains the innermost cause of the platform's error", async () => {
  const cause = new AggregateError([new Error("connect ECONNREFUSED ::1:8080"), new Error("another")]);
  const fetch = async () => Promise.reject(new TypeError("fetch failed", { cause }));
  const store = new AnimalStore({ baseUrl: "http://localhost:8080", apiKey: "key", fetch: fetch as never });
  const failure = (await catchFailure(store.inventory.get({ maxRetries: 0 }))) as ConnectionError;
  expect(failure.message).toEndWith("the connection broke: connect ECONNREFUSED ::1:8080");
});

test("the client accepts Infinity as timeoutMs and as deadlineMs", async () => {
  await using network = await startNetwork(["delay"], {
    timeoutMs: Number.POSITIVE_INFINITY,
    deadlineMs: Number.POSITIVE_INFINITY,
    maxRetries: 0,
  });
  expect(await network.store.inventory.get()).toMatchObject({ sold: 0 });
});

test("the delays between retries grow, and clients that fail together do not retry together", () => {
  const waits = (attempt: number, requestedMs: number) =>
    Array.from({ length: 100 }, () => computeRetryDelayMs(attempt, requestedMs));
  for (const attempt of [0, 1, 2, 3, 4]) {
    expect(Math.min(...waits(attempt + 1, 0))).toBeGreaterThanOrEqual(Math.max(...waits(attempt, 0)));
    for (const requestedMs of [0, 10_000]) expect(new Set(waits(attempt, requestedMs)).size).toBeGreaterThan(50);
  }
});

test("a retry waits at least as long as Retry-After says", async () => {
  await using limited = await startService({ quota: { requests: 1, seconds: 1 } });
  const store = new AnimalStore({ baseUrl: limited.client.url, apiKey: limited.client.key });
  const responses = await Promise.all([1, 2, 3].map(() => store.inventory.get().withResponse()));
  expect(responses.map(({ status }) => status as number)).toEqual([200, 200, 200]);
  expect(computeRetryDelayMs(0, 1_000)).toBeWithin(1_000, 1_251);
  // Retry-After: 0 does not shorten the delays of the client.
  expect(computeRetryDelayMs(10, 0)).toBeWithin(4_000, 8_001);
});
