import { afterAll, expect, test } from "bun:test";
import { petStatuses, petTransitions } from "../../src/domain/pet.ts";
import type { CallOptions } from "../support/client.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

async function createPet(fields: object = {}): Promise<{ path: string; id: number; etag: string }> {
  const response = await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7, ...fields } });
  const { id } = response.json as { id: number };
  return { path: `/v1/pets/${id}`, id, etag: response.headers.get("etag") ?? "" };
}

const patch = (path: string, body: unknown, headers: CallOptions["headers"] = {}) =>
  service.client.call(path, {
    method: "PATCH",
    body,
    headers: { "content-type": "application/merge-patch+json", ...headers },
  });

test("updatePet returns the changed animal, and so does getPet afterwards", async () => {
  const { path, id } = await createPet();
  const response = await patch(path, '{"name":" Rexy ","categoryId":9223372036854775807,"status":"pending"}');
  expect(response.status).toBe(200);
  expect(response.text).toBe(`{"id":${id},"name":" Rexy ","categoryId":9223372036854775807,"status":"pending"}`);
  const read = await service.client.call(path);
  expect(read.text).toBe(response.text);
  expect(read.headers.get("etag")).toBe(response.headers.get("etag"));
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test.each([
  ["name", "Max"],
  ["categoryId", -3],
  ["status", "pending"],
])("a patch of %s changes no other field", async (field, value) => {
  const { path, id } = await createPet();
  const expected = { id, name: "Rex", categoryId: 7, status: "available", [field]: value };
  expect((await patch(path, { [field]: value })).json).toEqual(expected);
  expect((await service.client.call(path)).json).toEqual(expected);
});

test.each(["application/json", "application/merge-patch+json", "Application/Merge-Patch+JSON; charset=UTF-8"])(
  "a patch of the type %s is accepted",
  async (type) => {
    const { path } = await createPet();
    expect((await patch(path, { name: "Max" }, { "content-type": type })).status).toBe(200);
  },
);

test("another type of patch gets 415, with the accepted types in Accept-Patch", async () => {
  const { path } = await createPet();
  const response = await patch(path, "[]", { "content-type": "application/json-patch+json" });
  expect(response.status).toBe(415);
  expect(response.headers.get("accept-patch")).toBe("application/merge-patch+json, application/json");
});

test("an empty patch and a patch of unknown fields change nothing", async () => {
  const { path, etag } = await createPet();
  for (const body of [{}, { colour: "red", id: 99 }]) {
    const response = await patch(path, body);
    expect(response.status).toBe(200);
    expect(response.headers.get("etag")).toBe(etag);
  }
});

test("a 400 response lists every wrong field, including null, because no field can be removed", async () => {
  const { path, etag } = await createPet();
  const response = await patch(path, { name: null, categoryId: "7", status: null });
  expect(response.json).toMatchObject({
    status: 400,
    message: expect.stringMatching(/name must.*categoryId must.*status must/),
  });
  expect((await service.client.call(path)).headers.get("etag")).toBe(etag);
});

const pairs = petStatuses.flatMap((from) => petStatuses.map((to) => [from, to] as const));
test.each(pairs)("a change of the status from %s to %s follows the table of transitions", async (from, to) => {
  const { path, id } = await createPet({ status: from });
  const response = await patch(path, { status: to });
  if (from === to || petTransitions[from].includes(to)) {
    expect(response.json).toMatchObject({ status: to });
  } else {
    const allowed = petTransitions[from].join(" or ");
    const message = `Animal ${id} is ${from}. Its next status can be ${allowed}, not ${to}.`;
    expect(response.json).toEqual({ code: "Conflict", message, status: 409 });
    expect((await service.client.call(path)).json).toMatchObject({ status: from });
  }
});

test("a forbidden change of the status gets 409, and no other field is changed either", async () => {
  const { path, etag } = await createPet();
  expect((await patch(path, { name: "Max", status: "sold" })).status).toBe(409);
  expect((await service.client.call(path)).headers.get("etag")).toBe(etag);
});

test("a change with If-Match succeeds once for each version", async () => {
  const { path, etag } = await createPet();
  const headers = { "if-match": etag };
  const first = await patch(path, { name: "Max" }, headers);
  expect(first.status).toBe(200);
  const second = await patch(path, { name: "Tom" }, headers);
  expect(second.json).toEqual({
    code: "PreconditionFailed",
    message: "The resource does not match If-Match or If-None-Match. Read it again, then decide.",
    status: 412,
  });
  expect((await service.client.call(path)).json).toMatchObject({ name: "Max" });
  expect((await patch(path, { name: "Tom" }, { "if-match": first.headers.get("etag") ?? "" })).status).toBe(200);
});

test("If-Match accepts a list of ETags and a star, but no weak ETag", async () => {
  const { path, etag } = await createPet();
  for (const header of [`"other", ${etag}`, "*"]) {
    expect((await patch(path, {}, { "if-match": header })).status).toBe(200);
  }
  for (const header of [`W/${etag}`, '"other"', "", etag.replaceAll('"', "")]) {
    expect((await patch(path, {}, { "if-match": header })).status).toBe(412);
  }
});

test("a change of an existing animal with a matching If-None-Match gets 412", async () => {
  const { path, etag } = await createPet();
  for (const header of ["*", etag]) {
    expect((await patch(path, {}, { "if-none-match": header })).status).toBe(412);
  }
  expect((await patch(path, {}, { "if-none-match": '"other"' })).status).toBe(200);
});

test("a change of an unknown animal with If-Match gets 404 instead of 412", async () => {
  expect((await patch("/v1/pets/999999", {}, { "if-match": '"x"' })).status).toBe(404);
});

test("of 20 concurrent changes with the same If-Match, exactly one succeeds", async () => {
  const { path, etag } = await createPet();
  const responses = await Promise.all(
    Array.from({ length: 20 }, (_, index) => patch(path, { name: `Name ${index}` }, { "if-match": etag })),
  );
  const statuses = responses.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array(19).fill(412)]);
});
