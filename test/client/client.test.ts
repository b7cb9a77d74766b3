import { afterAll, expect, test } from "bun:test";
import { createError } from "../../packages/client/src/error-response.ts";
import type * as client from "../../packages/client/src/index.ts";
import {
  AnimalStore,
  ApiError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  type Int64,
  NotFoundError,
  NotModifiedError,
  type Pet,
  PreconditionFailedError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnprocessableContentError,
} from "../../packages/client/src/index.ts";
import { errorCodes, errorKinds } from "../../src/operations/errors.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";
import { UnreliableProxy } from "../support/unreliable-proxy.ts";

const names = Array.from({ length: 45 }, (_, index) => `animal ${index}`);
const createStore = ({ client: { url, key, fetch } }: TestService, apiKey = key) =>
  new AnimalStore({ baseUrl: url, apiKey, fetch, logger: { warn() {} } });

const service = await startService();
const store = createStore(service);
const fullService = await startService();
for (const name of names) await createStore(fullService).pets.create({ name, categoryId: 7 });
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await fullService[Symbol.asyncDispose]();
});

async function catchFailure(call: PromiseLike<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error("The call succeeded.");
}

test("a list of the client yields the items of all of its pages", async () => {
  const listed: string[] = [];
  for await (const pet of createStore(fullService).pets.list({ status: "available" })) listed.push(pet.name);
  expect(listed).toEqual(names);
  expect((await createStore(fullService).pets.list().toArray()).map(({ name }) => name)).toEqual(names);
  expect(await Array.fromAsync(createStore(fullService).pets.list({ status: "sold" }))).toEqual([]);
});

test("a list of the client can return a single page, with the cursor of the next one", async () => {
  const first = await createStore(fullService).pets.list({ limit: 30 }).page();
  expect(first.items.map(({ name }) => name)).toEqual(names.slice(0, 30));
  const second = await createStore(fullService).pets.list({ limit: 30, cursor: first.next }).page();
  expect(second).toMatchObject({ items: names.slice(30).map((name) => ({ name })), next: undefined });
  const { status, headers, data } = await createStore(fullService).pets.list({ limit: 1 }).page().withResponse();
  expect([status as number, headers.get("Link"), data.items.length]).toEqual([200, expect.stringContaining("next"), 1]);
});

test("the client can read a list page by page", async () => {
  const pages = await Array.fromAsync(createStore(fullService).pets.list({ limit: 20 }).pages());
  expect(pages.map(({ items }) => items.length)).toEqual([20, 20, 5]);
});

test("a list of the client requests no page before it is needed", async () => {
  await using proxy = await UnreliableProxy.withFaults(fullService.client.url);
  const proxiedStore = new AnimalStore({ baseUrl: `${proxy.url}/v1/`, apiKey: fullService.client.key });
  for await (const { name } of proxiedStore.pets.list({ limit: 5 })) if (name === "animal 7") break;
  expect(proxy.seen).toHaveLength(2);
});

test("a list of events ends with the latest event, and can be continued from there", async () => {
  const events = createStore(fullService).events;
  const pages = await Array.fromAsync(events.list({ type: ["pet.created"], limit: 20 }).pages());
  expect(pages.flatMap(({ items }) => items).map(({ data }) => data as Pet)).toMatchObject(
    names.map((name) => ({ name })),
  );
  const cursor = pages.at(-1)?.next;
  const waiting = events.list({ cursor }, { prefer: "wait=20" }).page();
  await createStore(fullService).categories.put(7, { name: "Dogs" });
  expect((await waiting).items).toMatchObject([{ type: "category.named", data: { name: "Dogs" } }]);
});

const maxInt64 = 9_223_372_036_854_775_807n;
test.each<[string, Int64]>([
  ["a number where it is safe", Number.MAX_SAFE_INTEGER],
  ["a bigint beyond", BigInt(Number.MAX_SAFE_INTEGER) + 2n],
  ["the largest", maxInt64],
  ["the smallest", -maxInt64 - 1n],
])("the client keeps a 64-bit integer exact: %s", async (_, categoryId) => {
  const { id } = await store.pets.create({ name: `"${categoryId}, {9007199254740993}`, categoryId });
  const found = await store.pets.find(id);
  expect(found).toEqual({ id, name: `"${categoryId}, {9007199254740993}`, categoryId, status: "available" });
  expect(await Array.fromAsync(store.pets.list({ categoryId }))).toEqual([found as Pet]);
  const exported = await Array.fromAsync(await store.pets.export());
  expect(exported.find((pet) => pet.id === id)?.categoryId).toBe(categoryId);
  await store.categories.put(categoryId, { name: "Whales" });
  expect((await store.categories.get(categoryId)).id).toBe(categoryId);
});

test("the client refuses a number that may be a rounded integer", async () => {
  const rounded = Number(maxInt64);
  for (const call of [
    store.pets.create({ name: "Rex", categoryId: rounded }),
    store.pets.list({ categoryId: rounded }).page(),
    store.categories.get(rounded),
  ]) {
    expect(await call.catch((error) => error)).toBeInstanceOf(RangeError);
  }
});

test("each error code of the service has its own class in the client", () => {
  const classes = new Set(
    errorCodes.map((code) => {
      const response = new Response(null, { status: errorKinds[code].status });
      return createError(response, JSON.stringify({ code, detail: "" })).constructor;
    }),
  );
  expect(classes.size).toBe(errorCodes.length);
  expect(classes).not.toContain(ApiError);
});

test("an error has the code and the message of its body, even if a proxy sent it", () => {
  const body = { code: "ServiceUnavailable", message: "No instance is available.", status: 503 };
  const error = createError(new Response(null, { status: 503 }), JSON.stringify(body));
  expect(error).toBeInstanceOf(ServiceUnavailableError);
  expect(error).toMatchObject(body);
});

test("an error has the code, the status, the request id and the wrong fields", async () => {
  const invalid = { name: "", categoryId: 7, status: "lost" } as unknown as client.NewPet;
  const failure = await catchFailure(store.pets.create(invalid, { requestId: "mine-1" }));
  expect(failure).toBeInstanceOf(BadRequestError);
  expect([failure.name, failure.code, failure.status, failure.requestId]).toEqual([
    "BadRequestError",
    "BadRequest",
    400,
    "mine-1",
  ]);
  expect(failure.fields.map(({ pointer }) => pointer)).toEqual(["#/name", "#/status"]);
  expect(failure.message).toContain("status must be one of available, pending, sold.");
});

test("an error has the class of its status", async () => {
  const { id } = await store.pets.create({ name: "Rex", categoryId: 7 }, { idempotencyKey: "rex" });
  const { headers } = await store.pets.find(id).withResponse();
  const { key } = await addKey(service.store);
  const cases: [() => PromiseLike<unknown>, typeof ApiError][] = [
    [() => createStore(service, "ask_wrong").inventory.get(), UnauthorizedError],
    [() => createStore(service, key).pets.delete(id), ForbiddenError],
    [() => store.pets.delete(999), NotFoundError],
    [() => store.pets.update(id, { status: "sold" }), ConflictError],
    [() => store.pets.update(id, { name: "Max" }, { ifMatch: '"another"' }), PreconditionFailedError],
    [() => store.pets.create({ name: "Max", categoryId: 7 }, { idempotencyKey: "rex" }), UnprocessableContentError],
    [() => store.pets.find(id, { ifNoneMatch: headers.get("ETag") }), NotModifiedError],
  ];
  for (const [call, kind] of cases) expect(await catchFailure(call())).toBeInstanceOf(kind);
});

test("a deprecated operation logs one warning", async () => {
  const warnings: string[] = [];
  const logger = { warn: (message: string) => warnings.push(message) };
  const { url, key, fetch } = service.client;
  const loggingStore = new AnimalStore({ baseUrl: url, apiKey: key, fetch, logger });
  const { id } = await loggingStore.pets.create({ name: "Rex", categoryId: 7 });
  expect(warnings).toEqual([]);
  expect(await loggingStore.pets.get(id)).toEqual((await loggingStore.pets.find(id)) as Pet);
  await catchFailure(loggingStore.pets.get(9_999));
  expect(warnings).toEqual([
    `animal-store: getPet is deprecated. It works until 2030-12-05. Use /v1/pets?id=${id} instead.`,
  ]);
});

test("apiKey can be a function that returns another key for each request", async () => {
  const keys = ["ask_wrong", service.client.key];
  const { url, fetch } = service.client;
  const rotatingStore = new AnimalStore({ baseUrl: url, apiKey: async () => keys.shift() ?? "", fetch });
  expect(await catchFailure(rotatingStore.inventory.get())).toBeInstanceOf(UnauthorizedError);
  expect(await rotatingStore.keys.current()).toMatchObject({ name: "environment", id: null });
});

test("a call is a promise with then, catch and finally", async () => {
  const endedCalls: string[] = [];
  await store.inventory.get().finally(() => endedCalls.push("ended"));
  expect(await store.orders.get(999).catch(({ code }) => code)).toBe("NotFound");
  expect(await store.pets.delete((await store.pets.create({ name: "a", categoryId: 1 })).id)).toBeUndefined();
  expect([endedCalls, String(store.inventory.get())]).toEqual([["ended"], "[object Call]"]);
});

const newStore = (options: object) => () =>
  new AnimalStore({ baseUrl: "http://127.0.0.1:1", apiKey: "key", ...options });

test.each([undefined, null, 7])("the client refuses %p as apiKey", (apiKey) => {
  expect(newStore({ apiKey })).toThrow(`apiKey must be a string, or a function that gives one; it is ${apiKey}.`);
});

test("the client refuses an empty apiKey, even if a function returns it", async () => {
  const message = "apiKey must be a string, or a function that gives one; it is empty.";
  expect(newStore({ apiKey: "" })).toThrow(message);
  expect(
    await newStore({ apiKey: () => "" })()
      .inventory.get()
      .catch(String),
  ).toBe(`TypeError: ${message}`);
});

test("the client refuses http:// to another machine, unless it is allowed", () => {
  for (const baseUrl of ["http://shop.example", "http://10.0.0.1:8080", "http://localhost.example"]) {
    expect(newStore({ baseUrl })).toThrow("baseUrl must begin with https://");
    expect(newStore({ baseUrl, allowInsecureHttp: true })).not.toThrow();
  }
  const acceptedUrls = [
    "https://shop.example",
    "http://localhost",
    "http://till.localhost",
    "http://127.1:80",
    "http://[::1]",
  ];
  for (const baseUrl of acceptedUrls) expect(newStore({ baseUrl })).not.toThrow();
});

test.each(["", undefined, "127.0.0.1:8080", "localhost:8080", "ftp://127.0.0.1"])(
  "the client refuses %p as baseUrl",
  (baseUrl) => {
    expect(newStore({ baseUrl })).toThrow(`baseUrl must be a URL such as http://127.0.0.1:8080; it is ${baseUrl}.`);
  },
);

test.each(["user:password", "user", ":password"])(
  "the client refuses %p in baseUrl, and does not repeat it in the error",
  (userInfo) => {
    const message = "baseUrl must not contain a user name or a password. Give the API key as apiKey.";
    expect(newStore({ baseUrl: `http://${userInfo}@127.0.0.1` })).toThrow(message);
  },
);

test.each([
  ["maxRetries", -1],
  ["timeoutMs", Number.NaN],
  ["deadlineMs", "5000"],
  ["maxRetryAfterMs", -0.5],
])("the client refuses the limit %s with the value %p", async (name, limit) => {
  const message = `${name} must be a number of 0 or more; it is ${limit}.`;
  expect(newStore({ [name]: limit })).toThrow(message);
  expect(await store.inventory.get({ [name]: limit }).catch(String)).toBe(`RangeError: ${message}`);
});

test("the client refuses a missing id, which would otherwise find the first animal", async () => {
  await store.pets.create({ name: "first", categoryId: 7 });
  for (const none of [undefined, null, ""] as never[]) {
    expect(await store.pets.find(none).catch(String)).toBe("TypeError: petId is missing.");
    expect(await store.webhooks.delete(none).catch(String)).toBe("TypeError: webhookId is missing.");
  }
});
