import { expect, test } from "bun:test";
import { wireRequest } from "../../../test/support/wire-request.ts";
import { operations } from "../../operations/index.ts";
import type { Store } from "../../store/store.ts";
import type { Exchange } from "../exchange.ts";
import { createServiceEndpoints } from "./service-endpoints.ts";

function createCountingEndpoints() {
  const rendered: string[] = [];
  const clock = { now: 0 };
  const endpoints = createServiceEndpoints(
    {} as Store,
    {
      operations,
      addresses: [],
      clock: () => clock.now,
      renderDocument(inService, [address], format) {
        rendered.push(`${format} of ${inService.length} at ${address?.url}`);
        return `${format} `.repeat(1_000);
      },
      renderReference: () => "",
    },
    () => false,
  );
  const fetchDocument = (format: string, headers: Record<string, string>) =>
    endpoints[`/v1/openapi.${format}`]?.({
      request: wireRequest(headers),
    } as unknown as Exchange);
  return { rendered, clock, fetchDocument };
}

test("the OpenAPI document is rendered once, whatever host names and encodings clients use", async () => {
  const { rendered, clock, fetchDocument } = createCountingEndpoints();
  const encodings = ["br", "gzip", "identity"];
  const responses = Array.from({ length: 300 }, (_, index) =>
    fetchDocument(index % 2 ? "json" : "yaml", {
      host: `name-${index}.test`,
      "accept-encoding": encodings[index % 3] ?? "",
      "x-forwarded-host": `other-${index}.test`,
    }),
  );
  const bodies = new Set((await Promise.all(responses)).map((response) => response?.body));
  const all = operations.length;
  expect(rendered.sort()).toEqual([`json of ${all} at /v1`, `yaml of ${all} at /v1`]);
  expect(bodies.size).toBe(6);

  clock.now = Date.parse("2031-01-01");
  for (let count = 0; count < 3; count++) await fetchDocument("json", { host: "shop.test" });
  expect(rendered).toHaveLength(3);
  expect(rendered).toContain(`json of ${all - 1} at /v1`);
});
