import { afterAll, expect, test } from "bun:test";
import { operations } from "../../src/operations/index.ts";
import { type Operation, pathParameter } from "../../src/operations/operation.ts";
import { addKey } from "../support/keys.ts";
import { startService, type TestService } from "../support/service.ts";

const service = await startService();
const limited = await startService({ quota: { requests: 1, seconds: 3600 }, clock: () => Date.UTC(2027, 0, 1) });
const keys = {
  read: (await addKey(service.store)).key,
  write: (await addKey(service.store, { scope: "write" })).key,
};
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await limited[Symbol.asyncDispose]();
});

const allOperations = operations.map((operation) => [operation.id, operation] as const);
const filterOperations = (matches: (operation: Operation) => unknown) =>
  allOperations.filter(([, operation]) => matches(operation));

const pathOf = ({ path }: Operation) => `/v1${path.replace(pathParameter, "1")}`;
const callExample = ({ client }: TestService, operation: Operation, key: string) =>
  client.call(pathOf(operation), {
    method: operation.method,
    key,
    ...(operation.body && { body: exampleOf(operation) }),
  });
const exampleOf = ({ body }: Operation) => (body ? Object.values(body.examples)[0]?.[1] : undefined);

test.each(allOperations)("%s gets 401 without a key", async (_, operation) => {
  const response = await service.client.call(`${pathOf(operation)}?limit=0`, {
    method: operation.method,
    key: null,
    ...(operation.body && { body: "{" }),
  });
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toBe('Bearer realm="animal-store"');
});

const scopedOperations = filterOperations(({ scope }) => scope !== "read");
test.each(scopedOperations)("%s gets 403 with a key whose scope is insufficient", async (_, operation) => {
  const response = await callExample(service, operation, operation.scope === "admin" ? keys.write : keys.read);
  expect(response.status).toBe(403);
  expect(response.headers.get("www-authenticate")).toContain(`error="insufficient_scope", scope="${operation.scope}"`);
});

test.each(allOperations)("%s gets 429 once its key has used up its quota", async (_, operation) => {
  const { key } = await addKey(limited.store, { scope: "admin" });
  await limited.client.call("/v1/pets", { key });
  const response = await callExample(limited, operation, key);
  expect(response.status).toBe(429);
  expect(Number(response.headers.get("retry-after"))).toBeWithin(1, 3601);
});

test.each(allOperations)("%s with strict handling gets 400 for unknown fields and parameters", async (_, operation) => {
  const response = await service.client.call(`${pathOf(operation)}?colour=red`, {
    method: operation.method,
    headers: { prefer: "handling=strict" },
    ...(operation.body && { body: { ...(exampleOf(operation) as object), "no such field": 1 } }),
  });
  expect(response.status).toBe(400);
  expect(response.json).toMatchObject({ message: expect.stringContaining("colour is unknown; leave it out.") });
  if (operation.body) expect(response.text).toContain("no such field is unknown");
  expect(response.headers.get("preference-applied")).toBe("handling=strict");
});

const strictOperations = filterOperations(({ isStrict }) => isStrict);

test("exactly the operations on keys and webhooks are strict", () => {
  expect(strictOperations).toEqual(filterOperations(({ tag }) => tag === "keys" || tag === "webhooks"));
});

test.each(strictOperations)("%s is strict and gets 400 for unknown fields and parameters", async (_, operation) => {
  const { method } = operation;
  const example = exampleOf(operation) as object;
  const inQuery = await service.client.call(`${pathOf(operation)}?colour=red`, { method, body: example });
  expect(inQuery.json).toMatchObject({ status: 400, message: "colour is unknown; leave it out." });
  expect(inQuery.headers.get("preference-applied")).toBeNull();
  if (!operation.body) return;
  const inBody = await service.client.call(pathOf(operation), { method, body: { ...example, expiresat: null } });
  expect(inBody.json).toMatchObject({ status: 400, message: "expiresat is unknown; leave it out." });
});

test.each(filterOperations(({ body }) => body))(
  "%s gets 400 for a missing or invalid body, and 415 for another media type",
  async (_, operation) => {
    const { method } = operation;
    const send = (body: string, type = "application/json") =>
      service.client.call(pathOf(operation), { method, body, headers: { "content-type": type } });
    for (const body of ["{", "[]", "null", '"text"', "\u0000"]) expect((await send(body)).status).toBe(400);
    const empty = await service.client.call(pathOf(operation), { method });
    expect([empty.status === 400, empty.text.includes("The body is missing")]).toEqual(
      operation.body?.isOptional ? [false, false] : [true, true],
    );
    const acceptedTypes = operation.body?.types ?? ["application/json"];
    for (const type of ["text/plain", "application/xml", "application/json; charset=latin1"]) {
      const response = await send("{}", type);
      expect(response.status).toBe(415);
      expect(response.headers.get("accept")).toBe(acceptedTypes.join(", "));
    }
  },
);

test.each(filterOperations(({ params }) => params).filter(([id]) => id !== "putCategory"))(
  "%s gets 404 for an invalid or unknown id",
  async (_, operation) => {
    for (const id of ["x", "1.5", "9223372036854775808", "9007199254740993"]) {
      const response = await service.client.call(`/v1${operation.path.replace(pathParameter, id)}`, {
        method: operation.method,
        ...(operation.body && { body: exampleOf(operation) }),
      });
      expect(response.status).toBe(404);
    }
  },
);

type Described = { readonly operationId: string; readonly responses: object; readonly requestBody?: object };
const document = (await service.client.call("/v1/openapi.json", { key: null })).json;
const { paths } = document as { paths: Record<string, Record<string, Described>> };
const described = new Map(
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, one]) => [one.operationId, { ...one, method, path }] as const),
  ),
);

test.each(allOperations)("the OpenAPI document lists the common errors of %s", (id) => {
  const { method, path, responses, requestBody } = described.get(id) ?? { method: "", path: "", responses: {} };
  const statuses = Object.keys(responses);
  expect(statuses).toEqual(expect.arrayContaining(["400", "401", "429", "500", "503"]));
  for (const [status, isGiven] of [
    ["404", path.includes("{")],
    ["408", requestBody !== undefined],
    ["413", requestBody !== undefined],
    ["415", requestBody !== undefined],
    ["422", method === "post"],
    ["507", method !== "get"],
  ] as const) {
    if (isGiven) expect(statuses).toContain(status);
    else if (status !== "404") expect(statuses).not.toContain(status);
  }
});
