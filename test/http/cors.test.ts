import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { pages } from "../../dist/pages.ts";
import { type CallOptions, committedDocumentFile } from "../support/client.ts";
import { RawConnection } from "../support/raw.ts";
import { startService, type TestService } from "../support/service.ts";

/** Headers that CORS need not list, because pages may always read them, or because only browsers and proxies need them. */
const unlistedHeaders: ReadonlySet<string> = new Set([
  "Access-Control-Allow-Origin",
  "Access-Control-Expose-Headers",
  "Cache-Control",
  "Content-Security-Policy",
  "Vary",
  "X-Accel-Buffering",
  "X-Content-Type-Options",
]);

const { components } = JSON.parse(readFileSync(committedDocumentFile, "utf8")) as {
  readonly components: {
    readonly headers: Readonly<Record<string, object>>;
    readonly parameters: Readonly<Record<string, { readonly name: string; readonly in: string }>>;
  };
};

const parseNames = (list: string | null) => list?.split(", ").sort();

const origin = "https://shop.test";
const preflight = {
  method: "OPTIONS",
  key: null,
  headers: {
    origin,
    "access-control-request-method": "POST",
    "access-control-request-headers": "authorization, content-type, idempotency-key",
  },
};

test("without configured origins, no response has CORS headers, and a preflight request needs a key", async () => {
  await using service = await startService();
  const response = await service.client.call("/v1/pets", { headers: { origin } });
  expect(response.headers.get("access-control-allow-origin")).toBeNull();
  expect(response.headers.get("vary")).toBeNull();
  expect((await service.client.call("/v1/pets", preflight)).status).toBe(401);
});

test("a preflight request of a configured origin needs no key at any path", async () => {
  await using service = await startService({ corsOrigins: [origin, "http://localhost:3000"] });
  for (const path of ["/v1/pets", "/v1/pets/1", "/v1/store/orders", "/v1/events", "/v1/openapi.json", "/v1/nothing"]) {
    const response = await service.client.call(path, preflight);
    expect([response.status, response.text]).toEqual([204, ""]);
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    expect(response.headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE");
    expect(response.headers.get("access-control-max-age")).toBe("7200");
    expect(response.headers.get("vary")).toBe("Origin");
    expect(response.headers.get("x-request-id")).not.toBeNull();
  }
});

test("a configured origin may read every response with its headers, including errors", async () => {
  await using service = await startService({ corsOrigins: [origin] });
  for (const [path, status, varies] of [
    ["/v1/pets", 200, "Origin"],
    ["/v1/pets/99", 404, "Origin"],
    ["/v1/openapi.json", 200, "Accept-Encoding, Origin"],
    ["/v1/events", 200, "Accept, Origin"],
  ] as const) {
    const response = await service.client.call(path, { headers: { origin } });
    expect(response.status).toBe(status);
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    expect(response.headers.get("vary")).toBe(varies);
  }
  const unknown = await service.client.call("/v1/pets", { key: null, headers: { origin } });
  expect([unknown.status, unknown.headers.get("access-control-allow-origin")]).toEqual([401, origin]);
});

test("a page may read every documented header, except those that only browsers and proxies need", async () => {
  await using service = await startService({ corsOrigins: [origin] });
  const { headers } = await service.client.call("/v1/pets", { headers: { origin } });
  const described = new Set(Object.keys(components.headers).map((component) => component.replace(/\..*/, "")));
  // Allow is added, because only responses with 405 have this header, and those responses belong to no operation.
  const readable = described.add("Allow").difference(unlistedHeaders);
  expect(parseNames(headers.get("access-control-expose-headers"))).toEqual([...readable].sort());
});

test("a page may send every documented header, traceparent, and the headers that HTTP itself needs", async () => {
  await using service = await startService({ corsOrigins: [origin] });
  const { headers } = await service.client.call("/v1/pets", preflight);
  const described = Object.values(components.parameters).filter((parameter) => parameter.in === "header");
  const names = new Set(described.map(({ name }) => name));
  expect(parseNames(headers.get("access-control-allow-headers"))).toEqual(
    [...names, "Authorization", "Content-Type", "traceparent"].sort(),
  );
});

test("another origin gets no CORS headers, and Vary tells caches that responses differ by origin", async () => {
  await using service = await startService({ corsOrigins: [origin] });
  for (const other of ["https://evil.test", "https://shop.test.evil.test", "http://shop.test", "null"]) {
    const response = await service.client.call("/v1/pets", { headers: { origin: other } });
    expect(response.status).toBe(200);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
    expect(response.headers.get("vary")).toBe("Origin");
    const asked = await service.client.call("/v1/pets", {
      ...preflight,
      headers: { ...preflight.headers, origin: other },
    });
    expect(asked.status).toBe(401);
  }
  expect((await service.client.call("/v1/pets")).headers.get("access-control-allow-origin")).toBeNull();
});

describe.each([
  ["*", { "access-control-allow-origin": "*", vary: null }],
  [origin, { "access-control-allow-origin": null, vary: "Origin" }],
])("with %s as the configured origin, responses to requests without an Origin header", (allowed, expected) => {
  const quota = { requests: 30, seconds: 600 };
  let service: TestService;
  beforeAll(async () => {
    service = await startService({ corsOrigins: [allowed], anonymousQuota: quota, pages });
    await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const expectCorsHeaders = (headers: Headers) => {
    expect(headers.get("access-control-allow-origin")).toBe(expected["access-control-allow-origin"]);
    const vary = headers.get("vary")?.split(", ") ?? [];
    expect(vary.includes("Origin")).toBe(expected.vary !== null);
  };

  test.each<[status: number, path: string, options: CallOptions]>([
    [200, "/v1/pets", {}],
    [200, "/v1/pets", {}],
    [200, "/v1/pets", { method: "HEAD" }],
    [201, "/v1/pets", { body: { name: "Mia", categoryId: 7 } }],
    [204, "/v1/pets/2", { method: "DELETE" }],
    [304, "/v1/pets/1", { headers: { "if-none-match": "*" } }],
    [400, "/v1/pets?limit=0", {}],
    [401, "/v1/pets", { key: null }],
    [401, "/v1/pets", { key: "wrong" }],
    [404, "/v1/pets/99", {}],
    [404, "/v1/nowhere", {}],
    [404, "/nowhere", {}],
    [404, "/nowhere", { headers: { accept: "text/html" } }],
    [405, "/v1/pets", { method: "PUT", body: {} }],
    [405, "/healthz", { method: "POST", body: {} }],
    [415, "/v1/pets", { body: "x", headers: { "content-type": "text/plain" } }],
    [200, "/v1/openapi.json", {}],
    [200, "/v1/export", {}],
    [200, "/v1/events", {}],
    [200, "/healthz", {}],
    [200, "/readyz/writes", {}],
    [200, "/metrics", {}],
    [200, "/docs", { key: null }],
    [401, "/v1/pets", { ...preflight, headers: { "access-control-request-method": "GET" } }],
  ])("the response %d to %s %p has the expected CORS headers", async (status, path, options) => {
    const response = await service.client.call(path, options);
    expect(response.status).toBe(status);
    expectCorsHeaders(response.headers);
  });

  test("responses to malformed requests have the expected CORS headers", async () => {
    for (const [status, line] of [
      [431, `X: ${"x".repeat(20_000)}`],
      [400, "Host: y z"],
    ] as const) {
      using connection = new RawConnection(service.client.url);
      const response = await connection.send(`GET /v1/pets HTTP/1.1\r\n${line}\r\n\r\n`).response();
      expect(response?.status).toBe(status);
      expectCorsHeaders(response?.headers ?? new Headers());
    }
  });

  test("responses with 429 have the expected CORS headers", async () => {
    for (;;) {
      const { status, headers } = await service.client.call("/v1/pets", { key: null });
      expectCorsHeaders(headers);
      if (status === 429) break;
    }
  });
});
