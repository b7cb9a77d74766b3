import { afterAll, expect, test } from "bun:test";
import { encodeCursor } from "../../src/domain/page-cursor.ts";
import type { CallOptions } from "../support/client.ts";
import { startService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(() => startService());

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const call = service.client.call.bind(service.client);
const put = (id: string | number, name: unknown, headers: CallOptions["headers"] = {}) =>
  call(`/v1/categories/${id}`, { method: "PUT", body: { name }, headers });

test("putCategory returns 201 for the first name and 200 for a later name, and getCategory returns the current name", async () => {
  const first = await put(7, "Dogs");
  expect([first.status, first.text]).toEqual([201, '{"id":7,"name":"Dogs"}']);
  const second = await put(7, " Hounds 🐕 ");
  expect([second.status, second.text]).toEqual([200, '{"id":7,"name":" Hounds 🐕 "}']);
  const read = await call("/v1/categories/7");
  expect([read.status, read.text, read.headers.get("etag")]).toEqual([200, second.text, second.headers.get("etag")]);
});

test.each(["-9223372036854775808", "9223372036854775807", "0", "-1", "9007199254740993"])(
  "any 64-bit integer is a valid id of a category: %s",
  async (id) => {
    const text = `{"id":${id},"name":"Birds"}`;
    expect((await put(id, "Birds")).text).toBe(text);
    expect((await call(`/v1/categories/${id}`)).text).toBe(text);
  },
);

test.each([[""], [" "], [null], [7], ["a\nb"], ["\u200b"], ["\u{e0020}"], ["x".repeat(256)]])(
  "putCategory returns 400 for the name %p",
  async (name) => {
    expect((await put(7, name)).json).toMatchObject({ status: 400, message: expect.stringMatching(/^name must be/) });
  },
);

test("putCategory returns 404 for an invalid id", async () => {
  for (const id of ["x", "9223372036854775808", "1.0"]) expect((await put(id, "Dogs")).status).toBe(404);
});

test("If-None-Match: * sets only the first name; If-Match replaces only the version that the client has seen", async () => {
  const none = { "if-none-match": "*" };
  const first = await put(50, "Dogs", none);
  expect(first.status).toBe(201);
  expect((await put(50, "Cats", none)).status).toBe(412);
  const seen = { "if-match": first.headers.get("etag") ?? "" };
  expect((await put(50, "Cats", seen)).status).toBe(200);
  expect((await put(50, "Fish", seen)).status).toBe(412);
  expect((await put(51, "Fish", seen)).status).toBe(412);
  expect((await put(51, "Fish", { "if-match": "*" })).status).toBe(412);
  expect((await call("/v1/categories/50")).json).toMatchObject({ name: "Cats" });
  expect((await call("/v1/categories/51")).status).toBe(404);
});

test("of 20 concurrent requests with If-None-Match: *, exactly one sets the first name", async () => {
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => put(60, `Name ${index}`, { "if-none-match": "*" })),
  );
  expect(responses.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(412)]);
});

test("deleteCategory removes the name of a category, but not its animals", async () => {
  await put(70, "Dogs");
  const pet = await call("/v1/pets", { body: { name: "Rex", categoryId: 70 } });
  expect((await call("/v1/categories/70", { method: "DELETE" })).status).toBe(204);
  expect((await call("/v1/categories/70")).json).toMatchObject({
    message: "No category has the id 70.",
    status: 404,
  });
  expect((await call("/v1/categories/70", { method: "DELETE" })).status).toBe(404);
  expect((await call(pet.headers.get("location") ?? "")).json).toMatchObject({ categoryId: 70 });
});

test("deleteCategory with an outdated If-Match never deletes a category that is created concurrently", async () => {
  for (let trial = 0; trial < 50; trial++) {
    const [, deleted] = await Promise.all([
      put(72, "Dogs"),
      call("/v1/categories/72", { method: "DELETE", headers: { "if-match": '"another"' } }),
    ]);
    expect([404, 412]).toContain(deleted.status);
    expect((await call("/v1/categories/72", { method: "DELETE" })).status).toBe(204);
  }
});

test("deleteCategory returns 412 if another client has changed the name", async () => {
  const { headers } = await put(71, "Dogs");
  await put(71, "Cats");
  const seen = { "if-match": headers.get("etag") ?? "" };
  expect((await call("/v1/categories/71", { method: "DELETE", headers: seen })).status).toBe(412);
});

it("listCategories returns categories from the smallest id to the largest, page by page", async (other) => {
  const ids = [5n, -9223372036854775808n, 0n, 9223372036854775807n, -7n, 9007199254740993n];
  for (const id of ids) await other.client.call(`/v1/categories/${id}`, { method: "PUT", body: { name: "x" } });
  const walked = await Array.fromAsync(other.client.walk("/v1/categories?limit=2"));
  expect(walked.map(({ id }) => BigInt(id))).toEqual(ids.sort((one, other) => (one < other ? -1 : 1)));
});

it("name= returns the categories whose names have that prefix, by name, page by page", async ({ client }) => {
  const names = ["Zebras", "éland", "Elk", "ELEPHANTS", "Cats"];
  for (const [index, name] of names.entries()) {
    await client.call(`/v1/categories/${-index}`, { method: "PUT", body: { name } });
  }
  for (const limit of [1, 2, 100]) {
    const matches = await Array.fromAsync(client.walk(`/v1/categories?name=%C3%89l&limit=${limit}`));
    expect(matches.map(({ name }) => name)).toEqual(["éland", "ELEPHANTS", "Elk"]);
  }
  expect((await client.call("/v1/categories?name=%25")).json).toEqual([]);
});

test.each(["", "x".repeat(256), "re%00", "re%0A"])("listCategories returns 400 for name=%s", async (name) => {
  expect((await call(`/v1/categories?name=${name}`)).json).toMatchObject({
    status: 400,
    message: "name must be a string of 1 to 255 characters, none of them a control character.",
  });
});

test("listCategories returns 400 for a well-formed cursor that points outside the list", async () => {
  const at = (afterName: string | undefined) =>
    call(`/v1/categories?name=do&cursor=${encodeCursor({ after: 1, afterName }, "listCategories\nname=do")}`);
  for (const afterName of [undefined, "cats", "do\0"]) expect((await at(afterName)).status).toBe(400);
  expect((await at("dog")).status).toBe(200);
});
