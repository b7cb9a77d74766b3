import { afterAll, expect, test } from "bun:test";
import { generateKey } from "../../src/domain/key-secret.ts";
import { nextPageOf } from "../support/client.ts";
import { addKey } from "../support/keys.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());
await service.database.fill(30);

const call = service.client.call.bind(service.client);

test.each(["/v1/nothing", "/v1", "/v1/", "/v1/pets/", "/v1/pets/1/2", "/v1//pets", "/v1/Pets", "/v1/openapi"])(
  "the unknown path %s gets 404",
  async (path) => {
    const response = await call(path);
    expect(response.json).toEqual({ code: "NotFound", message: "There is nothing at this path.", status: 404 });
  },
);

test.each(["/", "/pets", "/v2/pets", "/v1x", "/favicon.ico", "/constructor", "/__proto__"])(
  "the path %s outside the API gets 404 with the path of the API, even without a key",
  async (path) => {
    const response = await call(path, { key: null });
    expect(response.json).toEqual({
      code: "NotFound",
      message: "There is nothing at this path. The API is at /v1.",
      status: 404,
    });
  },
);

test.each([
  ["PUT", "/v1/pets", "GET, HEAD, POST"],
  ["DELETE", "/v1/pets", "GET, HEAD, POST"],
  ["OPTIONS", "/v1/pets", "GET, HEAD, POST"],
  ["POST", "/v1/pets/1", "GET, HEAD, PATCH, DELETE"],
  ["PUT", "/v1/store/orders/1", "GET, HEAD"],
  ["GET", "/v1/store/orders/1/complete", "POST"],
  ["PATCH", "/v1/categories/1", "GET, HEAD, PUT, DELETE"],
  ["POST", "/healthz", "GET, HEAD"],
  ["DELETE", "/v1/openapi.json", "GET, HEAD"],
])("%s %s gets 405 with the allowed methods", async (method, path, allow) => {
  const response = await call(path, { method });
  expect(response.status).toBe(405);
  expect(response.headers.get("allow")).toBe(allow);
  expect(response.json).toEqual({
    code: "MethodNotAllowed",
    message: `${method} is not allowed here. Use ${allow === "POST" ? "" : "one of "}${allow}.`,
    status: 405,
  });
});

test.each([
  "/v1/pets",
  "/v1/pets?status=sold&limit=2",
  "/v1/pets/1",
  "/v1/pets/99",
  "/v1/pets?limit=0",
  "/healthz",
  "/v1/openapi.json",
])("HEAD %s has the headers of GET and no body", async (path) => {
  const get = await call(path);
  const head = await call(path, { method: "HEAD" });
  expect(head.status).toBe(get.status);
  expect(head.text).toBe("");
  const headersOf = (headers: Headers) =>
    [...headers].filter(([name]) => !["date", "x-request-id"].includes(name)).sort();
  expect(headersOf(head.headers)).toEqual(headersOf(get.headers));
});

test.each(["/v1/pets?limit=3", "/v1/pets/1", "/v1/openapi.json"])(
  "a read of %s gets 304 if the client has the current representation",
  async (path) => {
    const first = await call(path);
    const etag = first.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"\w+"$/);
    for (const header of [etag, `W/${etag}`, `"other", ${etag}`, "*"]) {
      const again = await call(path, { headers: { "if-none-match": header } });
      expect(again.status).toBe(304);
      expect(again.text).toBe("");
      expect(again.headers.get("etag")).toBe(etag);
    }
    expect((await call(path, { headers: { "if-none-match": '"other"' } })).status).toBe(200);
  },
);

test("the ETag does not depend on the key of the caller", async () => {
  const { key } = await addKey(service.store);
  const mine = await call("/v1/pets");
  const theirs = await call("/v1/pets", { key });
  expect(theirs.headers.get("etag")).toBe(mine.headers.get("etag"));
});

test("the ETag of the last page changes when another page follows it", async () => {
  await using other = await startService();
  await other.database.fill(3);
  const fetchEtag = async () => (await other.client.call("/v1/pets?limit=3")).headers.get("etag");
  const before = await fetchEtag();
  await other.client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } });
  const after = await fetchEtag();
  expect(after).not.toBe(before);
  expect(nextPageOf(await other.client.call("/v1/pets?limit=3"))).toBeDefined();
});

test("createPet returns the same ETag as getPet", async () => {
  const { headers } = await call("/v1/pets", { body: '{"name":"Rex","categoryId":9007199254740993}' });
  expect((await call(headers.get("location") ?? "")).headers.get("etag")).toBe(headers.get("etag"));
});

const strict = { prefer: "handling=strict" };

test("strict handling returns 400 with all unknown fields and parameters", async () => {
  const body = { name: "Rex", categoryId: 1, colour: "red", "a/b": 1 };
  const response = await call("/v1/pets?dry=1", { body, headers: strict });
  expect(response.json).toEqual({
    code: "BadRequest",
    message: "dry is unknown; leave it out. colour is unknown; leave it out. a/b is unknown; leave it out.",
    status: 400,
  });
  expect(response.headers.get("preference-applied")).toBe("handling=strict");
  expect((await call("/v1/pets?colour=red", { headers: strict })).status).toBe(400);
  expect((await call("/v1/pets/1?colour=red", { headers: strict })).status).toBe(400);
});

test.each(["handling=strict", "HANDLING=Strict", 'return=minimal, handling="strict"', "handling=strict; x=1"])(
  "Prefer: %s is applied to a valid request, and Preference-Applied says so",
  async (prefer) => {
    const response = await call("/v1/pets?limit=1&status=sold&id=2&categoryId=2", { headers: { prefer } });
    expect(response.status).toBe(200);
    expect(response.headers.get("preference-applied")).toBe("handling=strict");
  },
);

test("strict handling accepts the parameter cursor", async () => {
  const next = nextPageOf(await call("/v1/pets?limit=1")) ?? "";
  expect((await call(next, { headers: strict })).status).toBe(200);
});

test.each(["handling=lenient", "handling=lenient, handling=strict", "handlings=strict", "respond-async"])(
  "unknown parameters are ignored with Prefer: %s",
  async (prefer) => {
    const response = await call("/v1/pets?colour=red", { headers: { prefer } });
    expect(response.status).toBe(200);
    expect(response.headers.has("preference-applied")).toBe(false);
  },
);

const headers = { ...strict, accept: "application/problem+json" };

test("strict handling refuses repeated names in an object, even if they are escaped differently", async () => {
  const body = '{"name":"Rex","categoryId":7,"n\\u0061me":"Max","x":[{"a":1,"b":{"a":2},"a":3}]}';
  const response = await call("/v1/pets", { method: "POST", body, headers });
  expect(response.json).toMatchObject({
    detail: "x is unknown; leave it out. name must be given only once. a must be given only once.",
    errors: [{ pointer: "#/x" }, { pointer: "#/name" }, { pointer: "#/x/0/a" }],
  });
  expect((await call("/v1/pets", { method: "POST", body })).status).toBe(201);
});

test("the pointer of an error encodes any field name as a valid URL fragment", async () => {
  const body = { name: "Rex", categoryId: 7, "a/b~c d%é": 1 };
  const response = await call("/v1/pets?x%20y=1", { body, headers });
  expect(response.json).toMatchObject({ errors: [{ pointer: "?x%20y" }, { pointer: "#/a~1b~0c%20d%25%C3%A9" }] });
});

test("a 400 response lists a malformed Idempotency-Key together with the wrong fields", async () => {
  const response = await call("/v1/pets", {
    body: { categoryId: "x" },
    headers: { "idempotency-key": "not one", accept: "application/problem+json" },
  });
  expect(response.json).toMatchObject({
    errors: [{ pointer: "Idempotency-Key" }, { pointer: "#/name" }, { pointer: "#/categoryId" }],
  });
});

test.each(["application/problem+json", "application/json;q=0.5, Application/Problem+JSON;q=0.5"])(
  "Accept: %s gets the error body of RFC 9457",
  async (accept) => {
    const response = await call("/v1/pets?limit=0", { body: { name: "", categoryId: 1 }, headers: { accept } });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    const message =
      "name must be a string of 1 to 255 characters, at least one of them visible and none of them a control character.";
    expect(response.json).toEqual({
      type: "/docs/errors#BadRequest",
      title: "Bad Request",
      status: 400,
      detail: message,
      code: "BadRequest",
      errors: [{ pointer: "#/name", message }],
    });
  },
);

test("a problem has a list of errors with pointers only if parameters are wrong", async () => {
  const headers = { accept: "application/problem+json" };
  expect((await call("/v1/pets?limit=0", { headers })).json).toMatchObject({ errors: [{ pointer: "?limit" }] });
  expect((await call("/v1/pets/99", { headers })).json).not.toHaveProperty("errors");
  expect((await call("/v1/pets", { headers, key: null })).json).toMatchObject({ title: "Unauthorized", status: 401 });
  expect((await call("/nowhere", { headers })).json).toMatchObject({ title: "Not Found", status: 404 });
});

test.each([
  "application/json",
  "*/*",
  "application/problem+json;q=0",
  "application/json, application/problem+json;q=0.1",
  "text/html",
])("Accept: %s gets the plain Error body", async (accept) => {
  const response = await call("/v1/pets/99", { headers: { accept } });
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(response.json).toEqual({ code: "NotFound", message: "No animal has the id 99.", status: 404 });
});

test.each(["/v1/pets?name=%ff", "/v1/pets?name=Re%C3", "/v1/categories?name=%ED%A0%80", "/v1/pets?x%80=1"])(
  "the query of %s is not valid UTF-8 and gets 400",
  async (path) => {
    const response = await call(path);
    expect(response.json).toEqual({ code: "BadRequest", message: "The query is not valid UTF-8.", status: 400 });
  },
);

test.each(["/v1/pets?name=%EF%BF%BD", "/v1/pets?name=%F0%9F%90%B6+x", "/v1/pets?name=100%", "/v1/pets?x=%zz"])(
  "the query of %s is valid UTF-8 and accepted",
  async (path) => {
    expect((await call(path)).status).toBe(200);
  },
);

test("every response, even an error, returns the X-Request-Id of the client", async () => {
  for (const path of ["/v1/pets", "/v1/pets/99", "/nowhere", "/healthz"]) {
    const response = await call(path, { headers: { "x-request-id": "Root=1-5759e988:abc_9.z/+" } });
    expect(response.headers.get("x-request-id")).toBe("Root=1-5759e988:abc_9.z/+");
  }
});

test.each([
  "",
  "a b",
  "x".repeat(129),
  'quo"te',
  "é",
  generateKey(),
  "a-key-for-tests-only",
  "1-a-key-for-tests-only",
  // Parts of a key would reveal the key wherever the id is logged.
  generateKey().slice("ask_".length),
  `x${generateKey().slice("ask_".length)}y`,
  "key-for-tests-only",
  "1:a-key-for-te:2",
])("the X-Request-Id %p is replaced", async (id) => {
  const { headers } = await call("/v1/pets", { headers: { "x-request-id": id } });
  expect(headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
});

test("every request gets a new X-Request-Id", async () => {
  const ids = await Promise.all(
    Array.from({ length: 50 }, async () => (await call("/healthz")).headers.get("x-request-id")),
  );
  expect(new Set(ids).size).toBe(50);
});

test("every response has the security headers for browsers, and no header that names the software", async () => {
  const health = ["/healthz", "/readyz", "/readyz/reads", "/readyz/writes"];
  for (const path of ["/v1/pets", "/v1/pets/99", "/nowhere", "/v1/openapi.json", ...health]) {
    const { headers } = await call(path);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(headers.get("cache-control")).toMatch(/no-cache|no-store/);
    for (const name of ["server", "x-powered-by", "via"]) expect(headers.has(name)).toBe(false);
  }
});

test("the client may cache the response to a read, but a proxy may not", async () => {
  for (const path of ["/v1/pets", "/v1/pets/1"]) {
    expect((await call(path)).headers.get("cache-control")).toBe("private, no-cache");
  }
  expect((await call("/v1/pets/99")).headers.get("cache-control")).toBe("no-store");
});

test.each(["/healthz", "/readyz", "/readyz/reads", "/readyz/writes"])(
  "the health check %s needs no key and returns only the status",
  async (path) => {
    const response = await call(path, { key: null });
    expect(response.status).toBe(200);
    expect(response.text).toBe('{"status":"ok"}');
  },
);
