import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { petStatuses, petTransitions } from "../../src/domain/pet.ts";
import type { CallOptions } from "../support/client.ts";
import { startService, type TestService } from "../support/service.ts";

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service[Symbol.asyncDispose]());

async function newPet(fields: object = {}): Promise<{ path: string; id: number; etag: string }> {
  const answer = await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7, ...fields } });
  const { id } = answer.json as { id: number };
  return { path: `/v1/pets/${id}`, id, etag: answer.headers.get("etag") ?? "" };
}

const patch = (path: string, body: unknown, headers: CallOptions["headers"] = {}) =>
  service.client.call(path, {
    method: "PATCH",
    body,
    headers: { "content-type": "application/merge-patch+json", ...headers },
  });

describe("updatePet", () => {
  test("200 with the changed animal, and getPet gives the same", async () => {
    const { path, id } = await newPet();
    const answer = await patch(path, '{"name":" Rexy ","categoryId":9223372036854775807,"status":"pending"}');
    expect(answer.status).toBe(200);
    expect(answer.text).toBe(`{"id":${id},"name":" Rexy ","categoryId":9223372036854775807,"status":"pending"}`);
    const got = await service.client.call(path);
    expect(got.text).toBe(answer.text);
    expect(got.headers.get("etag")).toBe(answer.headers.get("etag"));
    expect(answer.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["name", "Max"],
    ["categoryId", -3],
    ["status", "pending"],
  ])("changes %s alone", async (field, value) => {
    const { path, id } = await newPet();
    const expected = { id, name: "Rex", categoryId: 7, status: "available", [field]: value };
    expect((await patch(path, { [field]: value })).json).toEqual(expected);
    expect((await service.client.call(path)).json).toEqual(expected);
  });

  test.each(["application/json", "application/merge-patch+json", "Application/Merge-Patch+JSON; charset=UTF-8"])(
    "takes %s",
    async (type) => {
      const { path } = await newPet();
      expect((await patch(path, { name: "Max" }, { "content-type": type })).status).toBe(200);
    },
  );

  test("415 for another kind of patch, with what is taken", async () => {
    const { path } = await newPet();
    const answer = await patch(path, "[]", { "content-type": "application/json-patch+json" });
    expect(answer.status).toBe(415);
    expect(answer.headers.get("accept-patch")).toBe("application/merge-patch+json, application/json");
  });

  test("an empty patch, and one with fields that are not known, change nothing", async () => {
    const { path, etag } = await newPet();
    for (const body of [{}, { colour: "red", id: 99 }]) {
      const answer = await patch(path, body);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("etag")).toBe(etag);
    }
  });

  test("400 naming every wrong field; none can be removed, as null would ask for", async () => {
    const { path, etag } = await newPet();
    const answer = await patch(path, { name: null, categoryId: "7", status: null });
    expect(answer.json).toMatchObject({
      status: 400,
      message: expect.stringMatching(/name must.*categoryId must.*status must/),
    });
    expect((await service.client.call(path)).headers.get("etag")).toBe(etag);
  });

  describe("the status", () => {
    const pairs = petStatuses.flatMap((from) => petStatuses.map((to) => [from, to] as const));
    test.each(pairs)("from %s to %s is as the table says", async (from, to) => {
      const { path, id } = await newPet({ status: from });
      const answer = await patch(path, { status: to });
      if (from === to || petTransitions[from].includes(to)) {
        expect(answer.json).toMatchObject({ status: to });
      } else {
        const allowed = petTransitions[from].join(" or ");
        const message = `Animal ${id} is ${from}. Its next status can be ${allowed}, not ${to}.`;
        expect(answer.json).toEqual({ code: "Conflict", message, status: 409 });
        expect((await service.client.call(path)).json).toMatchObject({ status: from });
      }
    });

    test("409, and no other field is changed either, when it may not change", async () => {
      const { path, etag } = await newPet();
      expect((await patch(path, { name: "Max", status: "sold" })).status).toBe(409);
      expect((await service.client.call(path)).headers.get("etag")).toBe(etag);
    });
  });

  describe("If-Match", () => {
    test("changes what the client has seen, once", async () => {
      const { path, etag } = await newPet();
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

    test("takes a list and a star, but no weak tag", async () => {
      const { path, etag } = await newPet();
      for (const header of [`"other", ${etag}`, "*"]) {
        expect((await patch(path, {}, { "if-match": header })).status).toBe(200);
      }
      for (const header of [`W/${etag}`, '"other"', "", etag.replaceAll('"', "")]) {
        expect((await patch(path, {}, { "if-match": header })).status).toBe(412);
      }
    });

    test("If-None-Match keeps from changing what is there", async () => {
      const { path, etag } = await newPet();
      for (const header of ["*", etag]) {
        expect((await patch(path, {}, { "if-none-match": header })).status).toBe(412);
      }
      expect((await patch(path, {}, { "if-none-match": '"other"' })).status).toBe(200);
    });

    test("404 comes before 412 where there is nothing", async () => {
      expect((await patch("/v1/pets/999999", {}, { "if-match": '"x"' })).status).toBe(404);
    });

    test("of 20 who have seen the same, one changes it", async () => {
      const { path, etag } = await newPet();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => patch(path, { name: `Name ${index}` }, { "if-match": etag })),
      );
      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(19).fill(412)]);
    });
  });
});
