import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

describe("the document", () => {
  test("needs no key, and names the address that the request came to", async () => {
    const { status, headers, json } = await service.client.call("/v1/openapi.json", { key: null });
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("application/json");
    expect(json).toMatchObject({ servers: [{ url: `${service.client.url.origin}/v1`, description: "This server" }] });
  });

  test("names another address to those who come by another", async () => {
    for (const host of ["shop.test", "shop.test:8080", service.client.url.host]) {
      const { json } = await service.client.call("/v1/openapi.json", { headers: { host } });
      expect(json).toMatchObject({ servers: [{ url: `http://${host}/v1` }] });
    }
  });

  test("is the same in YAML", async () => {
    const { text, headers } = await service.client.call("/v1/openapi.yaml", { key: null });
    expect(headers.get("content-type")).toBe("application/yaml");
    const { text: json } = await service.client.call("/v1/openapi.json");
    expect(Bun.YAML.parse(text)).toEqual(JSON.parse(json));
  });

  test("has paths without the version, and servers with it", async () => {
    const { json } = await service.client.call("/v1/openapi.json");
    const paths = Object.keys((json as { paths: object }).paths);
    expect(paths).toContain("/pets");
    for (const path of paths) expect(path).toMatch(/^\/(pets|store|categories|keys)/);
  });
});
