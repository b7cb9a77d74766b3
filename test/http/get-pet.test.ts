import { afterAll, expect, test } from "bun:test";
import { linkOf } from "../support/client.ts";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());
await service.database.fill(12);

const aDayBefore = Date.UTC(2030, 11, 4, 12);
const lastMoment = Date.UTC(2030, 11, 5, 23, 59, 59, 999);
const dayAfter = Date.UTC(2030, 11, 6);

test("getPet returns the animal", async () => {
  const response = await service.client.call("/v1/pets/12");
  expect(response.text).toBe('{"id":12,"name":"Animal 12","categoryId":2,"status":"available"}');
});

test("a percent-encoded id is decoded", async () => {
  expect((await service.client.call("/v1/pets/%31%32")).json).toMatchObject({ id: 12 });
});

test.each(["13", "0", "-1", "9223372036854775807", "-9223372036854775808"])(
  "getPet returns 404 if no animal has the id %s",
  async (id) => {
    const response = await service.client.call(`/v1/pets/${id}`);
    expect(response.json).toEqual({ code: "NotFound", message: `No animal has the id ${id}.`, status: 404 });
  },
);

test.each(["x", "1.0", "1e1", "9223372036854775808", "012", "%20", "1%2F2", "%zz", "null"])(
  "getPet returns 404 for %s, which is not a valid id",
  async (id) => {
    const response = await service.client.call(`/v1/pets/${id}`);
    expect(response.status).toBe(404);
    expect((response.json as { message: string }).message).toContain("petId must be an integer");
  },
);

test("three headers announce the deprecation of getPet, whether the animal exists or not", async () => {
  for (const id of [12, 13]) {
    const { headers } = await service.client.call(`/v1/pets/${id}`);
    expect(headers.get("deprecation")).toBe("@1794614400");
    expect(headers.get("sunset")).toBe("Thu, 05 Dec 2030 23:59:59 GMT");
    expect(linkOf(headers.get("link"), "successor-version")).toBe(`/v1/pets?id=${id}`);
  }
});

test("the response of getPet for an invalid id has no link to a successor", async () => {
  await using later = await startService({ clock: () => dayAfter });
  for (const [{ client }, status] of [
    [service, 404],
    [later, 410],
  ] as const) {
    for (const id of ["rex", "1.5", "9223372036854775808", "%00", "01"]) {
      const response = await client.call(`/v1/pets/${id}`);
      expect([id, response.status, response.headers.get("link")]).toEqual([id, status, null]);
      expect(response.headers.has("deprecation")).toBe(true);
    }
    const { headers } = await client.call("/v1/pets/-9223372036854775808");
    const successor = linkOf(headers.get("link"), "successor-version") ?? "";
    expect((await client.call(successor)).json).toEqual([]);
  }
});

test("the successor link of getPet leads to the same animal", async () => {
  const { json, headers } = await service.client.call("/v1/pets/12");
  const successor = linkOf(headers.get("link"), "successor-version") ?? "";
  expect((await service.client.call(successor)).json).toEqual([json]);
});

test.each([aDayBefore, lastMoment])("getPet still works at %d, before its sunset", async (now) => {
  await using later = await startService({ clock: () => now });
  await later.database.fill(1);
  const response = await later.client.call("/v1/pets/1");
  expect(response.status).toBe(200);
  for (const name of ["deprecation", "sunset", "link"]) expect(response.headers.has(name)).toBe(true);
  const { json } = await later.client.call("/v1/openapi.json");
  expect(json).toMatchObject({
    paths: { "/pets/{petId}": { get: { operationId: "getPet", deprecated: true, "x-sunset": "2030-12-05" } } },
  });
});

test("from 6 December 2030 on, getPet gets 410 and is no longer in the document", async () => {
  await using later = await startService({ clock: () => dayAfter });
  await later.database.fill(1);
  const response = await later.client.call("/v1/pets/1");
  expect(response.json).toEqual({
    code: "Gone",
    message: "getPet was removed at the end of 2030-12-05 (UTC). Use GET /v1/pets?id={petId} instead.",
    status: 410,
  });
  expect(linkOf(response.headers.get("link"), "successor-version")).toBe("/v1/pets?id=1");
  expect((await later.client.call("/v1/pets/1", { method: "HEAD" })).status).toBe(410);
  expect((await later.client.call("/v1/pets/1", { key: null })).status).toBe(401);
  expect((await later.client.call("/v1/pets?id=1")).json).toMatchObject([{ id: 1 }]);
  const { json } = await later.client.call("/v1/openapi.json");
  const { paths } = json as { paths: Readonly<Record<string, object>> };
  expect(Object.keys(paths["/pets/{petId}"] ?? {})).toEqual(["patch", "delete"]);
});

const start = () => startService({ clock: () => dayAfter });

test("after the sunset of getPet, Location leads to its successor, where the new animal can be read", async () => {
  await using later = await start();
  const created = await later.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  expect(created.headers.get("location")).toBe("/v1/pets?id=1");
  expect((await later.client.call("/v1/pets?id=1")).json).toEqual([created.json]);
});

test("after the sunset of getPet, Allow lists only the methods in service", async () => {
  await using later = await start();
  const response = await later.client.call("/v1/pets/1", { method: "PUT", body: {} });
  expect([response.status, response.headers.get("allow")]).toEqual([405, "PATCH, DELETE"]);
  const before = await service.client.call("/v1/pets/1", { method: "PUT", body: {} });
  expect(before.headers.get("allow")).toBe("GET, HEAD, PATCH, DELETE");
});

test("after the sunset of getPet, an animal can be changed and deleted with the ETag from the list filtered by its id", async () => {
  await using later = await start();
  const created = await later.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  const read = async () => (await later.client.call("/v1/pets?id=1")).headers.get("etag") ?? "";
  const etag = await read();
  expect(created.headers.get("etag")).toBe(etag);
  const change = (ifMatch: string) =>
    later.client.call("/v1/pets/1", { method: "PATCH", body: { name: "Max" }, headers: { "if-match": ifMatch } });
  expect((await change(etag)).headers.get("etag")).toBe(await read());
  expect((await change(etag)).status).toBe(412);
  const remove = (ifMatch: string) =>
    later.client.call("/v1/pets/1", { method: "DELETE", headers: { "if-match": ifMatch } });
  expect([(await remove(etag)).status, (await remove(await read())).status]).toEqual([412, 204]);
});

test("only a list filtered by one id has the ETag of the animal, whatever its limit", async () => {
  const etagOfPet = (await service.client.call("/v1/pets/12")).headers.get("etag") ?? "";
  const fetchEtag = async (query: string) => (await service.client.call(`/v1/pets?${query}`)).headers.get("etag");
  for (const query of ["id=12", "id=12&limit=1", "id=12&limit=100"]) {
    for (let read = 0; read < 3; read++) expect(await fetchEtag(query)).toBe(etagOfPet);
  }
  for (const query of ["id=12&status=available", "id=12&categoryId=2", "id=13"]) {
    expect(await fetchEtag(query)).not.toBe(etagOfPet);
  }
  const first = await service.client.call("/v1/pets?limit=1");
  expect(first.json).toMatchObject([{ id: 1 }]);
  expect(first.headers.get("etag")).not.toBe((await service.client.call("/v1/pets/1")).headers.get("etag"));
});
