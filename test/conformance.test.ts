import { beforeAll, expect, test } from "bun:test";
import { createOpenApiDocument } from "../src/openapi/document.ts";
import { operations } from "../src/operations/index.ts";
import { Conformance, type FullResponse } from "./support/conformance.ts";
import { startService } from "./support/service.ts";

const conformance = new Conformance(createOpenApiDocument(operations, []));
const samples: Record<"list" | "missing" | "unknown" | "wrongMethod" | "anonymous", FullResponse> = Object.create(null);

beforeAll(async () => {
  await using service = await startService({ quota: { requests: 100, seconds: 1 }, corsOrigins: ["*"] });
  const call = async (path: string, method = "GET", key: string | null = service.client.key): Promise<FullResponse> => {
    const { status, headers, text } = await service.client.call(path, {
      method,
      key,
      headers: { origin: "https://a.test" },
    });
    return { method, path, status, headers, text };
  };
  samples.list = await call("/v1/pets");
  samples.missing = await call("/v1/pets/1");
  samples.unknown = await call("/v1/nothing");
  samples.wrongMethod = await call("/v1/pets", "PUT");
  samples.anonymous = await call("/v1/pets", "GET", null);
});

const kinds = ["list", "missing", "unknown", "anonymous"] as const;

test.each([...kinds, "wrongMethod"] as const)("the conformance check accepts the sample response %j", (kind) => {
  expect(() => conformance.check(samples[kind])).not.toThrow();
});

test.each(kinds)("the conformance check rejects an undocumented header in the sample response %j", (kind) => {
  for (const header of ["X-Debug", "Set-Cookie", "Accept-Patch"]) {
    expect(() => conformance.check(withHeader(kind, header, "x"))).toThrow(header.toLowerCase());
  }
});

test.each(kinds)("the conformance check rejects the sample response %j without a required header", (kind) => {
  for (const header of ["X-Request-Id", "X-Content-Type-Options", "Content-Security-Policy", "Cache-Control"]) {
    expect(() => conformance.check(withHeader(kind, header, undefined))).toThrow(`it has no ${header}`);
  }
});

test.each([
  ["list", "ETag"],
  ["list", "Link"],
  ["missing", "Deprecation"],
  ["missing", "Sunset"],
  ["anonymous", "WWW-Authenticate"],
  ["wrongMethod", "Allow"],
] as const)("the conformance check rejects the sample response %j without %s", (kind, header) => {
  expect(() => conformance.check(withHeader(kind, header, undefined))).toThrow(`it has no ${header}`);
});

test("the conformance check accepts a response without optional headers", () => {
  for (const header of ["RateLimit", "RateLimit-Policy", "Vary", "Access-Control-Allow-Origin"]) {
    expect(() => conformance.check(withHeader("list", header, undefined))).not.toThrow();
  }
});

test("the conformance check rejects a header with a value that the document does not allow", () => {
  expect(() => conformance.check(withHeader("list", "Cache-Control", "no-store"))).toThrow("cache-control is no-store");
  expect(() => conformance.check(withHeader("missing", "Cache-Control", "public"))).toThrow("cache-control is public");
  expect(() => conformance.check(withHeader("list", "ETag", "W/x"))).toThrow("etag is W/x");
});

test("the conformance check rejects a header that only another operation's errors have", () => {
  const missingOrder = { ...samples.missing, path: "/v1/store/orders/1" };
  expect(() => conformance.check(missingOrder)).toThrow("does not contain the header deprecation");
});

function withHeader(kind: keyof typeof samples, name: string, value: string | undefined): FullResponse {
  const headers = new Headers(samples[kind].headers);
  if (value === undefined) headers.delete(name);
  else headers.set(name, value);
  return { ...samples[kind], headers };
}
