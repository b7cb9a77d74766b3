import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { pages } from "../../dist/pages.ts";
import { views as consoleViews, homePath } from "../../src/console/views.ts";
import { errorCodes, errorKinds } from "../../src/operations/errors.ts";
import { RawConnection } from "../support/raw.ts";
import { startService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(() => startService());

const start = () => startService({ pages });
const views = [homePath, ...consoleViews.map(({ path }) => path), "/docs"];

function listAssets(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path = ""]) => path);
}

function listImports(path: string): string[] {
  if (!path.endsWith(".js")) return [];
  const text = readFileSync(pages[path]?.identity ?? "", "utf8");
  return [...text.matchAll(/(?:from|import)\s*"(\/assets\/[^"]+)"/g)].map(([, imported = ""]) => imported);
}

test.each(views)(
  "the HTML page %s needs no key, has a strict policy, and is revalidated on each visit",
  async (path) => {
    await using service = await start();
    const { status, headers, text } = await service.client.call(path, { key: null });
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(text).toStartWith("<!doctype html>");
    expect(headers.get("cache-control")).toBe("no-cache");
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toStartWith("default-src 'none'; script-src 'self';");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|http|\*/);
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    const etag = headers.get("etag") ?? "";
    const again = await service.client.call(path, { headers: { "if-none-match": etag } });
    expect([again.status, again.text, again.headers.get("content-type")]).toEqual([304, "", null]);
    using connection = new RawConnection(service.client.url);
    connection.send(`HEAD ${path} HTTP/1.1\r\nHost: shop.test\r\nConnection: close\r\n\r\n`);
    expect(await connection.untilClosed()).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\n$/);
    const post = await service.client.call(path, { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  },
);

test("assets have hashes in their names, so browsers may cache them indefinitely", async () => {
  await using service = await start();
  for (const view of views) {
    const assets = listAssets((await service.client.call(view)).text);
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

test("HTML pages are compressed in the encoding that the browser accepts", async () => {
  await using service = await start();
  const [script = ""] = listAssets((await service.client.call("/")).text).filter((path) => path.endsWith(".js"));
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

test("the console loads at most 130 KB at first", async () => {
  await using service = await start();
  const { text } = await service.client.call("/");
  const loaded = new Set(["/", ...listAssets(text)]);
  // The iteration includes modules that are added to the set meanwhile.
  for (const path of loaded) for (const imported of listImports(path)) loaded.add(imported);
  const compressed = [...loaded].map((path) => readFileSync(pages[path]?.gzip ?? "").length);
  const total = compressed.reduce((sum, size) => sum + size, 0);
  expect(total).toBeGreaterThan(10_000);
  expect(total).toBeLessThan(130_000);
});

test("the reference loads at most 60 KB, without a large script", async () => {
  await using service = await start();
  const assets = listAssets((await service.client.call("/docs")).text);
  const sizes = await Promise.all(
    ["/docs", ...assets].map(async (path) => {
      const { headers, bytes } = await service.client.bytes(path, { "accept-encoding": "gzip" });
      expect([path, headers.get("content-encoding")]).toEqual([path, "gzip"]);
      return bytes.length;
    }),
  );
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
  const script = assets.find((path) => path.endsWith(".js")) ?? "";
  expect(readFileSync(pages[script]?.gzip ?? "").length).toBeLessThan(10_000);
});

test("the reference shows a deprecated operation until its sunset", async () => {
  const clock = { now: Date.parse("2030-12-05T23:59:59Z") };
  await using service = await startService({ pages, clock: () => clock.now });
  const before = await service.client.call("/docs", { key: null });
  expect(before.text).toContain('id="getPet"');
  clock.now = Date.parse("2030-12-06");
  const after = await service.client.call("/docs", {
    headers: { "if-none-match": before.headers.get("etag") ?? "" },
  });
  expect([after.status, after.text.includes('id="getPet"')]).toEqual([200, false]);
  expect(after.text).toContain('id="listPets"');
});

test.each([...views.slice(1), "/docs/errors"])("%s/ redirects to the HTML page without the slash", async (path) => {
  await using service = await start();
  for (const query of ["", "?status=placed&next=//elsewhere.test"]) {
    const { status, headers } = await service.client.call(`${path}/${query}`, { key: null });
    const location = headers.get("location") ?? "";
    expect([status, new URL(location, `http://shop.test/shop${path}/`).href]).toEqual([
      308,
      `http://shop.test/shop${path}${query}`,
    ]);
  }
  const post = await service.client.call(`${path}/`, { method: "POST" });
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
});

it("the API is served even if the HTML pages were not built", async (service) => {
  expect((await service.client.call("/v1/pets")).status).toBe(200);
  const missing = await service.client.call("/");
  expect(missing.status).toBe(404);
});

it("robots.txt excludes the API from search engines, but not the HTML pages", async (service) => {
  const { status, headers, text } = await service.client.call("/robots.txt", { key: null });
  expect([status, headers.get("content-type"), text]).toEqual([
    200,
    "text/plain; charset=utf-8",
    "User-agent: *\nDisallow: /v1/\n",
  ]);
});

it("the errors page has each error code at an anchor, with a meaning, a remedy and an example", async (service) => {
  const { status, headers, text } = await service.client.call("/docs/errors", { key: null });
  expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
  expect(new Set(text.match(/(?<=<section id=")\w+/g))).toEqual(new Set(errorCodes));
  for (const code of errorCodes) {
    const [, section = ""] = text.split(`<section id="${code}" `);
    const { meaning, remedy, example } = errorKinds[code];
    const shown = textOf(section.slice(0, section.indexOf("</section>")));
    for (const part of [meaning.replaceAll("`", ""), remedy.replaceAll("`", ""), example]) {
      expect(shown).toContain(part);
    }
    expect(text).toContain(`href="#${code}"`);
  }
});

it("the type of a problem is a link to the errors page", async (service) => {
  const problem = await service.client.call("/v1/nothing", { headers: { accept: "application/problem+json" } });
  const { type } = problem.json as { type: string };
  expect(type).toBe("/docs/errors#NotFound");
  const [page = ""] = type.split("#");
  expect((await service.client.call(page, { key: null })).text).toContain('<section id="NotFound"');
});

it("the policy of the errors page allows nothing but its own style", async (service) => {
  const { headers, text } = await service.client.call("/docs/errors", { key: null });
  const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? "";
  const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
  expect(headers.get("content-security-policy")).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(text).not.toMatch(/<script|\sstyle=|\son\w+=/);
  for (const [name, value] of [
    ["x-frame-options", "DENY"],
    ["referrer-policy", "no-referrer"],
    ["x-content-type-options", "nosniff"],
    ["cache-control", "no-cache"],
  ] as const) {
    expect([name, headers.get(name)]).toEqual([name, value]);
  }
});

it("the errors page has the headers of the other HTML pages", async (service) => {
  const { headers } = await service.client.call("/docs/errors", { key: null });
  const again = await service.client.call("/docs/errors", {
    headers: { "if-none-match": headers.get("etag") ?? "" },
  });
  expect([again.status, again.text]).toEqual([304, ""]);
  const post = await service.client.call("/docs/errors", { method: "POST" });
  expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  const { headers: packed, bytes } = await service.client.bytes("/docs/errors", { "accept-encoding": "br" });
  expect(packed.get("content-encoding")).toBe("br");
  expect(brotliDecompressSync(bytes).toString()).toStartWith("<!doctype html>");
});

const navigationAccept =
  "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7";

test("an unknown path shows a browser an HTML page with links", async () => {
  await using service = await start();
  for (const path of ["/nowhere", "/order", "/docs//", "/index.html", "/v1x", "/v2/pets", "/<script>", "/v1", "/v1/"]) {
    const { status, headers, text } = await service.client.call(path, {
      key: null,
      headers: { accept: navigationAccept },
    });
    expect([path, status, headers.get("content-type")]).toEqual([path, 404, "text/html; charset=utf-8"]);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("content-security-policy")).toStartWith("default-src 'none'; style-src 'sha256-");
    expect(text).toContain("<h1>Page not found</h1>");
    expect(text).not.toContain("<script");
    const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, link = ""]) => link);
    expect(links).toContain("/");
    for (const link of links)
      expect([link, (await service.client.call(link, { key: null })).status]).toEqual([link, 200]);
  }
});

it("the links of the page for unknown paths work, even if the console was not built", async (service) => {
  for (const path of ["/", "/docs/errors"]) {
    const { text } = await service.client.call(path, { key: null, headers: { accept: navigationAccept } });
    const links = [...text.matchAll(/href="(\/[^"]*)"/g)].map(([, link = ""]) => link);
    for (const link of links)
      expect([link, (await service.client.call(link, { key: null })).status]).toEqual([link, 200]);
  }
});

test.each(["text/html", "text/html;q=0.5, application/json;q=0.4", "text/html, application/*;q=0.9, */*;q=0.1"])(
  "an unknown path shows an HTML page to clients that prefer one: %s",
  async (accept) => {
    await using service = await startService();
    const page = await service.client.call("/nowhere", { headers: { accept } });
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const head = await service.client.call("/nowhere", { method: "HEAD", headers: { accept } });
    expect([head.status, head.headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"]);
  },
);

test.each([
  "*/*",
  "application/json",
  "text/html, application/json",
  "text/html;q=0.5, application/problem+json",
  "text/html;q=0",
  "text/html;q=0, */*",
  "application/json, text/plain, */*",
  "text/html;q=0.1, */*",
  `text/html${" ".repeat(4000)}x`,
  "",
])("an unknown path gives an Error body to clients that do not prefer HTML: %j", async (accept) => {
  await using service = await startService();
  const { status, json } = await service.client.call("/nowhere", { key: null, headers: { accept } });
  expect([status, json]).toMatchObject([404, { status: 404 }]);
});

test("unknown paths below /v1, and writes to unknown paths, get an Error body, whatever the client prefers", async () => {
  await using service = await start();
  const headers = { accept: navigationAccept };
  expect((await service.client.call("/v1/nothing", { headers })).json).toMatchObject({ code: "NotFound" });
  expect((await service.client.call("/v1/nothing", { key: null, headers })).json).toMatchObject({ status: 401 });
  for (const path of ["/v1", "/v1/"]) {
    expect((await service.client.call(path, { key: null })).json).toMatchObject({ status: 401 });
    expect((await service.client.call(path)).json).toMatchObject({ code: "NotFound" });
    expect((await service.client.call(path, { headers, body: {} })).json).toMatchObject({ code: "NotFound" });
  }
  expect((await service.client.call("/nowhere", { headers, body: {} })).json).toMatchObject({ code: "NotFound" });
});

function textOf(markup: string): string {
  return markup
    .replace(/<[^>]+>/g, "")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('\\"', '"');
}
