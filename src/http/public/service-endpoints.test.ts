import { expect, test } from "bun:test";
import { wireRequest } from "../../../test/support/wire-request.ts";
import { operations } from "../../operations/index.ts";
import type { Store } from "../../store/store.ts";
import type { Exchange } from "../exchange.ts";
import { serviceEndpoints } from "./service-endpoints.ts";

/** A document that takes no time, and counts how often it is made. */
function countingEndpoints() {
  const made: string[] = [];
  const clock = { now: 0 };
  const endpoints = serviceEndpoints(
    {} as Store,
    {
      operations,
      addresses: [],
      clock: () => clock.now,
      renderDocument(inService, [address], format) {
        made.push(`${format} of ${inService.length} at ${address?.url}`);
        return `${format} `.repeat(1_000);
      },
      renderReference: () => "",
    },
    () => false,
  );
  const ask = (format: string, headers: Record<string, string>) =>
    endpoints[`/v1/openapi.${format}`]?.({
      request: wireRequest(headers),
    } as unknown as Exchange);
  return { made, clock, ask };
}

test("the document is made once, under however many names and in however many encodings it is asked for", async () => {
  const { made, clock, ask } = countingEndpoints();
  const encodings = ["br", "gzip", "identity"];
  const asked = Array.from({ length: 300 }, (_, index) =>
    ask(index % 2 ? "json" : "yaml", {
      host: `name-${index}.test`,
      "accept-encoding": encodings[index % 3] ?? "",
      "x-forwarded-host": `other-${index}.test`,
    }),
  );
  const bodies = new Set((await Promise.all(asked)).map((reply) => reply?.body));
  const all = operations.length;
  expect(made.sort()).toEqual([`json of ${all} at /v1`, `yaml of ${all} at /v1`]);
  // Each form of it is one and the same, which nobody has compressed again.
  expect(bodies.size).toBe(6);

  clock.now = Date.parse("2031-01-01");
  for (let count = 0; count < 3; count++) await ask("json", { host: "shop.test" });
  expect(made).toHaveLength(3);
  expect(made).toContain(`json of ${all - 1} at /v1`);
});
