import { afterAll, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

const call = service.client.call.bind(service.client);
const createPet = async () => {
  const { headers } = await call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  return { path: headers.get("location") ?? "", etag: headers.get("etag") ?? "" };
};

test("deletePet returns 204 without a body, and the id of the animal is not reused", async () => {
  const { path } = await createPet();
  const response = await call(path, { method: "DELETE" });
  expect(response.status).toBe(204);
  expect(response.text).toBe("");
  expect(response.headers.get("content-type")).toBeNull();
  expect(response.headers.get("etag")).toBeNull();
  const id = path.split("/").at(-1);
  expect((await call(path)).status).toBe(404);
  expect((await call(`/v1/pets?id=${id}`)).json).toEqual([]);
  expect((await call(path, { method: "DELETE" })).json).toEqual({
    code: "NotFound",
    message: `No animal has the id ${id}.`,
    status: 404,
  });
  expect((await createPet()).path).not.toBe(path);
});

test("deletePet returns 412, and deletes nothing, if the animal has changed since", async () => {
  const { path, etag } = await createPet();
  const changed = await call(path, { method: "PATCH", body: { name: "Max" } });
  expect((await call(path, { method: "DELETE", headers: { "if-match": etag } })).status).toBe(412);
  const headers = { "if-match": changed.headers.get("etag") ?? "" };
  expect((await call(path, { method: "DELETE", headers })).status).toBe(204);
});

test("deletePet returns 409 for an animal with an open order", async () => {
  const { path } = await createPet();
  const petId = Number(path.split("/").at(-1));
  const order = await call("/v1/store/orders", { body: { petId } });
  const { id } = order.json as { id: number };
  expect((await call(path, { method: "DELETE" })).json).toEqual({
    code: "Conflict",
    message: `Animal ${petId} has the open order ${id}. Complete or cancel the order first.`,
    status: 409,
  });
  await call(`/v1/store/orders/${id}/complete`, { method: "POST" });
  expect((await call(path, { method: "DELETE" })).status).toBe(204);
  expect((await call(`/v1/store/orders/${id}`)).json).toMatchObject({ petId, status: "completed" });
});
