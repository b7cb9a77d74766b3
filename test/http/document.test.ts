import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { formatStatusLine } from "../../src/wire/message.ts";
import { committedDocumentFile } from "../support/client.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

test("the OpenAPI document needs no key, and its server is a relative URL", async () => {
  const { status, headers, json } = await service.client.call("/v1/openapi.json", { key: null });
  expect(status).toBe(200);
  expect(headers.get("content-type")).toBe("application/json");
  expect(json).toMatchObject({ servers: [{ url: "/v1", description: "This server" }] });
});

test("the served OpenAPI document equals the committed one except for its servers", async () => {
  await using today = await startService({ clock: () => Date.UTC(2026, 10, 15) });
  const { servers: _, ...served } = JSON.parse((await today.client.call("/v1/openapi.json")).text);
  const { servers: __, ...committed } = JSON.parse(readFileSync(committedDocumentFile, "utf8"));
  expect(served).toEqual(committed);
});

test("the OpenAPI document does not depend on the host name of the request", async () => {
  const ownDocument = await service.client.call("/v1/openapi.json");
  for (const host of ["shop.test", "shop.test:8080", "[::1]:80", "x".repeat(200)]) {
    const { text, headers } = await service.client.call("/v1/openapi.json", { headers: { host } });
    expect(text).toBe(ownDocument.text);
    expect(headers.get("etag")).toBe(ownDocument.headers.get("etag"));
  }
});

test("the OpenAPI document has the configured servers", async () => {
  const addresses = [
    { url: "https://shop.test/v1", description: "Production" },
    { url: "https://staging.shop.test/v1", description: "Staging" },
  ];
  await using configured = await startService({ addresses });
  expect((await configured.client.call("/v1/openapi.json")).json).toMatchObject({ servers: addresses });
});

test.each(["/v1/openapi.json", "/v1/openapi.yaml"])(
  "the OpenAPI document %s is compressed as the client requests, with an ETag for each encoding",
  async (path) => {
    const plain = await service.client.bytes(path, { "accept-encoding": "identity" });
    const etags = new Set([plain.headers.get("etag")]);
    expect(plain.headers.has("content-encoding")).toBe(false);
    for (const [accepted, encoding, unpack] of [
      ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
      ["gzip;q=0.5, br;q=0", "gzip", gunzipSync],
    ] as const) {
      const { headers, bytes } = await service.client.bytes(path, { "accept-encoding": accepted });
      expect(headers.get("content-encoding")).toBe(encoding);
      expect(headers.get("vary")).toBe("Accept-Encoding");
      expect(bytes.length).toBeLessThan(plain.bytes.length / 5);
      expect(Buffer.compare(unpack(bytes), plain.bytes)).toBe(0);
      const etag = headers.get("etag") ?? "";
      etags.add(etag);
      const revalidation = { "accept-encoding": accepted, "if-none-match": etag };
      const again = await service.client.call(path, { headers: revalidation });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
      const head = await service.client.call(path, { method: "HEAD", headers: { "accept-encoding": accepted } });
      expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etag]);
      expect(head.headers.get("content-length")).toBe(String(bytes.length));
    }
    expect(etags.size).toBe(3);
  },
);

test("the OpenAPI document is regenerated without getPet after its sunset", async () => {
  let now = Date.parse("2030-12-05T23:59:59.999Z");
  await using later = await startService({ clock: () => now });
  const read = async () => (await later.client.call("/v1/openapi.json")).text;
  const before = await read();
  expect(before).toContain('"getPet"');
  now += 1;
  const after = await read();
  expect(after).not.toContain('"getPet"');
  expect(await read()).toBe(after);
});

test("the OpenAPI document has the same content in YAML", async () => {
  const { text, headers } = await service.client.call("/v1/openapi.yaml", { key: null });
  expect(headers.get("content-type")).toBe("application/yaml");
  const { text: json } = await service.client.call("/v1/openapi.json");
  expect(Bun.YAML.parse(text)).toEqual(JSON.parse(json));
});

test("the OpenAPI document has the version in the URL of the server, not in the paths", async () => {
  const { json } = await service.client.call("/v1/openapi.json");
  const paths = Object.keys((json as { paths: object }).paths);
  expect(paths).toContain("/pets");
  for (const path of paths) expect(path).toMatch(/^\/(pets|export|store|categories|events|webhooks|keys)/);
});

test("the service has a reason phrase for every documented status", () => {
  const { paths } = JSON.parse(readFileSync(committedDocumentFile, "utf8"));
  const responses = Object.values<Record<string, { responses?: object }>>(paths).flatMap((path) => Object.values(path));
  const statuses = new Set(responses.flatMap(({ responses = {} }) => Object.keys(responses)));
  const known = [...statuses].filter((status) => /^\d+$/.test(status));
  expect(known.length).toBeGreaterThan(10);
  for (const status of known)
    expect(formatStatusLine(Number(status))).toMatch(/^HTTP\/1\.1 \d{3} [A-Z][A-Za-z ]+\r\n$/);
});
