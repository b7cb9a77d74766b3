import { afterAll, expect, test } from "bun:test";
import { encodeCursor } from "../../src/domain/page-cursor.ts";
import { startService } from "../support/service.ts";
import { webhookOptions } from "../support/webhooks.ts";

const service = await startService({ webhooks: webhookOptions });
afterAll(() => service[Symbol.asyncDispose]());
await service.client.call("/v1/webhooks", { body: { url: "https://hooks.shop.example" } });

const strict = { prefer: "handling=strict" };
const stream = { accept: "text/event-stream" };

interface Problem {
  readonly detail: string;
  readonly errors: readonly { readonly pointer: string; readonly message: string }[];
}

async function fetchPointers(path: string, headers: Record<string, string>, body?: unknown): Promise<string[]> {
  const call = (accept?: string) =>
    service.client.call(path, { headers: { ...headers, ...(accept && { accept }) }, ...(body ? { body } : {}) });
  const plain = await call(headers["accept"]);
  expect(plain.status).toBe(400);
  const accept = [headers["accept"], "application/problem+json"].filter(Boolean).join(", ");
  const { detail, errors } = (await call(accept)).json as Problem;
  expect((plain.json as { message: string }).message).toBe(detail);
  expect(errors.map(({ message }) => message).join(" ")).toBe(detail);
  return errors.map(({ pointer }) => pointer);
}

test.each<[path: string, headers: Record<string, string>, pointers: string[]]>([
  ["/v1/pets?cursor=x&status=lost", {}, ["?status", "?cursor"]],
  ["/v1/pets?limit=0&cursor=x&stauts=sold", strict, ["?limit", "?stauts", "?cursor"]],
  ["/v1/pets?name=a&sort=id&limit=0&cursor=x", {}, ["?limit", "?cursor", "?sort"]],
  ["/v1/pets?id=1&id=2&cursor=x", {}, ["?id", "?cursor"]],
  ["/v1/store/orders?petId=x&cursor=x", {}, ["?petId", "?cursor"]],
  ["/v1/categories?name=&cursor=", {}, ["?name", "?cursor"]],
  [
    `/v1/categories?limit=0&name=do&cursor=${encodeCursor({ after: 1 }, "listCategories\nname=do")}`,
    {},
    ["?limit", "?cursor"],
  ],
  ["/v1/webhooks?limit=0&cursor=x&y=1", {}, ["?limit", "?y", "?cursor"]],
  ["/v1/events?cursor=x", {}, ["?cursor"]],
  ["/v1/events?limit=0&cursor=x&type=lost&q=1", strict, ["?type", "?limit", "?cursor", "?q"]],
  ["/v1/events?cursor=x&sort=-position&subject=x", stream, ["?subject", "?cursor", "?sort"]],
  ["/v1/events?limit=0", { ...stream, "last-event-id": "x" }, ["?limit", "Last-Event-ID"]],
])("the error of %s lists all wrong parameters", async (path, headers, pointers) => {
  expect(await fetchPointers(path, headers)).toEqual(pointers);
});

test("the error of a body with an invalid cursor also lists the other wrong fields of the body", async () => {
  const pointers = await fetchPointers("/v1/webhooks/1/replay", {}, { from: "x", form: "end" });
  expect(pointers).toEqual(["#/from", "#/form"]);
});

test.each([
  "[]",
  "7",
  "null",
  '"Rex"',
  "{}",
  '{"name":"Rex","name":"Mia","categoryId":7}',
  '{"name":"Rex","categoryId":1.5,"status":"lost","colour":"red"}',
  '{"name":"","categoryId":7,"a":{"b":1,"b":2}}',
])("the invalid animal %s gets the same message on its own and in a batch", async (pet) => {
  const alone = await service.client.call("/v1/pets", { body: pet, headers: strict });
  expect(alone.status).toBe(400);
  const { message } = alone.json as { message: string };
  const valid = '{"name":"Rex","categoryId":7}';
  const batch = await service.client.call("/v1/pets:batch", {
    body: `{"pets":[${valid},${pet}],"atomic":false}`,
    headers: strict,
  });
  expect(batch.json).toMatchObject({ created: 1, results: [{}, { index: 1, error: alone.json as object }] });
  const problem = { ...strict, accept: "application/problem+json" };
  const aloneProblem = (await service.client.call("/v1/pets", { body: pet, headers: problem })).json as Problem;
  const atomic = await service.client.call("/v1/pets:batch", {
    body: `{"pets":[${valid},${pet}]}`,
    headers: problem,
  });
  expect((atomic.json as Problem).errors).toEqual(
    aloneProblem.errors.map(({ pointer, message }) => ({
      pointer: `#/pets/1${pointer.slice(1)}`,
      message: `pets[1]: ${message}`,
    })),
  );
  expect(message).toBe(aloneProblem.detail);
});

test("errors of animals are reported together with errors of other fields of the batch", async () => {
  const body = { pets: [{ name: "Rex" }], atomic: 1 };
  expect(await fetchPointers("/v1/pets:batch", {}, body)).toEqual(["#/atomic", "#/pets/0/categoryId"]);
  const many = { pets: Array(200).fill({}), atomic: 1 };
  expect(await fetchPointers("/v1/pets:batch", {}, many)).toHaveLength(100);
});
