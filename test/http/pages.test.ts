import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { pages } from "../../dist/pages.ts";
import { RawConnection } from "../support/raw.ts";
import { startService } from "../support/service.ts";

const start = () => startService({ pages });
const views = ["/", "/orders", "/categories", "/keys", "/docs"];

/** What a view loads at first, by path, as it is named in its page. */
function assetsOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
}

describe("the pages for browsers", () => {
  test.each(views)("are there without a key, under a strict policy, and always asked for again: %s", async (path) => {
    await using service = await start();
    const { status, headers, text } = await service.client.call(path, { key: null });
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toStartWith("<!doctype html>");
    expect(headers.get("cache-control")).toBe("no-cache");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    const etag = headers.get("etag") ?? "";
    const again = await service.client.call(path, { headers: { "if-none-match": etag } });
    expect([again.status, again.text, again.headers.get("content-type")]).toEqual([304, "", null]);
    using connection = new RawConnection(service.client.url);
    connection.send(`HEAD ${path} HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n`);
    expect(await connection.untilClosed()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/);
    const post = await service.client.call(path, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });

  test("name their assets by hashes, so that browsers may keep them for ever", async () => {
    await using service = await start();
    for (const view of views) {
      const assets = assetsOf((await service.client.call(view)).text);
      expect(assets.length).toBeGreaterThan(1);
      for (const asset of assets) {
        expect(asset).toMatch(/-[0-9a-z]{8}\.\w+$/);
        const { status, headers } = await service.client.call(asset, { key: null });
        expect([status, headers.get("cache-control")]).toEqual([200, "public, max-age=31536000, immutable"]);
        expect(headers.get("x-content-type-options")).toBe("nosniff");
      }
    }
    for (const path of [
      "/assets/index-00000000.js",
      "/index.html",
      "/assets/",
      "/assets/../../package.json",
      "//etc/passwd",
    ]) {
      using connection = new RawConnection(service.client.url);
      connection.send(`GET ${path} HTTP/1.1\r\nHost: shop.test\r\n\r\n`);
      expect([path, (await connection.response())?.status]).toEqual([path, 404]);
    }
  });

  test("are compressed as the browser likes it", async () => {
    await using service = await start();
    const [script = ""] = assetsOf((await service.client.call("/")).text).filter((path) => path.endsWith(".js"));
    const plain = readFileSync(pages[script]?.identity ?? "");
    for (const [accepted, encoding, unpack] of [
      ["gzip, deflate, br, zstd", "br", brotliDecompressSync],
      ["gzip", "gzip", gunzipSync],
      ["br;q=0, gzip;q=0.5", "gzip", gunzipSync],
      ["identity", null, (bytes: Buffer) => bytes],
    ] as const) {
      const received = await service.client.bytes(script, { "accept-encoding": accepted });
      expect([accepted, received.headers.get("content-encoding")]).toEqual([accepted, encoding]);
      expect(received.headers.get("vary")).toBe("Accept-Encoding");
      expect(Buffer.compare(unpack(received.bytes), plain)).toBe(0);
    }
  });

  test("are small: the console loads at most 120 KB at first", async () => {
    await using service = await start();
    const { text } = await service.client.call("/");
    const compressed = ["/index.html", ...assetsOf(text)].map((path) => readFileSync(pages[path]?.gzip ?? "").length);
    const total = compressed.reduce((sum, size) => sum + size, 0);
    expect(total).toBeGreaterThan(10_000);
    expect(total).toBeLessThan(120_000);
  });

  test("are not needed by programs: where they were not built, the interface is served", async () => {
    await using service = await startService();
    expect((await service.client.call("/v1/pets")).status).toBe(200);
    const missing = await service.client.call("/");
    expect(missing.status).toBe(404);
  });
});
