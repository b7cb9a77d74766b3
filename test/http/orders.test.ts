import { afterAll, expect, test } from "bun:test";
import { nextPageOf } from "../support/client.ts";
import { expectOneWinner } from "../support/races.ts";
import { startService } from "../support/service.ts";
import { testWith } from "../support/test-with.ts";

const it = testWith(() => startService());

let now = Date.parse("2026-11-15T10:00:00Z");
const service = await startService({ clock: () => now });
afterAll(() => service[Symbol.asyncDispose]());

const call = service.client.call.bind(service.client);
const post = (path: string) => call(path, { method: "POST" });
const order = (petId: unknown) => call("/v1/store/orders", { body: { petId } });

async function createPet(status = "available"): Promise<number> {
  const { json } = await call("/v1/pets", { body: { name: "Rex", categoryId: 7, status } });
  return (json as { id: number }).id;
}

async function createOrder(): Promise<{ petId: number; path: string }> {
  const petId = await createPet();
  const { headers } = await order(petId);
  return { petId, path: headers.get("location") ?? "" };
}

const fetchStatus = async (petId: number) => {
  const { json } = await call(`/v1/pets?id=${petId}`);
  return (json as { status: string }[])[0]?.status;
};

test("placeOrder returns the order with its location and its times, and the animal becomes pending", async () => {
  const petId = await createPet();
  const response = await order(petId);
  expect(response.status).toBe(201);
  const { id } = response.json as { id: number };
  const time = "2026-11-15T10:00:00.000Z";
  expect(response.json).toEqual({ id, petId, status: "placed", createdAt: time, updatedAt: time });
  expect(response.headers.get("location")).toBe(`/v1/store/orders/${id}`);
  expect(await fetchStatus(petId)).toBe("pending");
  const read = await call(`/v1/store/orders/${id}`);
  expect(read.text).toBe(response.text);
  expect(read.headers.get("etag")).toBe(response.headers.get("etag"));
});

test.each(["pending", "sold"])("placeOrder returns 409 for an animal that is %s", async (status) => {
  const petId = await createPet(status);
  const response = await order(petId);
  expect(response.json).toMatchObject({
    code: "Conflict",
    message: expect.stringContaining(`Animal ${petId} cannot be ordered because it is ${status}.`),
  });
  expect(await fetchStatus(petId)).toBe(status);
});

test("placeOrder returns 409 for an unknown animal", async () => {
  expect((await order(999_999)).json).toEqual({
    code: "Conflict",
    message: "No animal has the id 999999, so it cannot be ordered.",
    status: 409,
  });
  expect((await call("/v1/store/orders", { body: '{"petId":9223372036854775807}' })).status).toBe(409);
});

test.each([[undefined], [null], ["1"], [1.5], [{}], [true]])(
  "placeOrder returns 400 for the petId %p",
  async (petId) => {
    expect((await order(petId)).json).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^petId (is missing; it )?must be/),
    });
  },
);

test("of 200 concurrent orders for one animal, exactly one is placed", async () => {
  const petId = await createPet();
  const responses = await Promise.all(Array.from({ length: 200 }, () => order(petId)));
  expectOneWinner(responses);
  expect(await fetchStatus(petId)).toBe("pending");
  expect((await call(`/v1/store/orders?petId=${petId}`)).json).toHaveLength(1);
});

test.each([
  ["complete", "completed", "sold"],
  ["cancel", "cancelled", "available"],
])("after %s, the order is %s and the animal %s", async (verb, orderStatus, petStatus) => {
  const { petId, path } = await createOrder();
  now += 1000;
  const response = await post(`${path}/${verb}`);
  expect(response.status).toBe(200);
  expect(response.json).toMatchObject({ petId, status: orderStatus, updatedAt: new Date(now).toISOString() });
  expect(response.json).toMatchObject({ createdAt: new Date(now - 1000).toISOString() });
  expect(await fetchStatus(petId)).toBe(petStatus);
  expect((await call(path)).text).toBe(response.text);
  for (const again of ["complete", "cancel"]) {
    const id = path.split("/").at(-1);
    expect((await post(`${path}/${again}`)).json).toEqual({
      code: "Conflict",
      message: `Order ${id} is already ${orderStatus}. Only an open order can be completed or cancelled.`,
      status: 409,
    });
  }
  expect(await fetchStatus(petId)).toBe(petStatus);
});

test("an unknown order gets 404", async () => {
  for (const path of ["/v1/store/orders/999999/complete", "/v1/store/orders/999999/cancel"]) {
    expect((await post(path)).json).toMatchObject({ message: "No order has the id 999999.", status: 404 });
  }
  expect((await call("/v1/store/orders/999999")).json).toMatchObject({ message: "No order has the id 999999." });
});

test("an animal that is available again can be ordered again", async () => {
  const { petId, path } = await createOrder();
  await post(`${path}/complete`);
  expect((await order(petId)).status).toBe(409);
  expect((await call(`/v1/pets/${petId}`, { method: "PATCH", body: { status: "available" } })).status).toBe(200);
  expect((await order(petId)).status).toBe(201);
});

test("changing the status of an animal with an open order gets 409", async () => {
  const { petId, path } = await createOrder();
  const id = path.split("/").at(-1);
  const patch = (body: object) => call(`/v1/pets/${petId}`, { method: "PATCH", body });
  for (const status of ["available", "sold"]) {
    expect((await patch({ status })).json).toEqual({
      code: "Conflict",
      message: `Animal ${petId} has the open order ${id}, which controls its status. Complete or cancel the order instead.`,
      status: 409,
    });
  }
  expect((await patch({ name: "Max", status: "pending" })).status).toBe(200);
  await post(`${path}/cancel`);
  expect((await patch({ status: "pending" })).status).toBe(200);
});

it("orders are paged, filtered by status and animal, and their cursors are tied to the filters", async (service) => {
  const { client, store } = service;
  for (let id = 1; id <= 5; id++) {
    await store.pets.create({ name: "Rex", categoryId: 1, status: "available" });
    await store.orders.place({ petId: id }, id);
  }
  await store.orders.close(2, "cancelled", 9);
  const ids = async (path: string) => ((await client.call(path)).json as { id: number }[]).map(({ id }) => id);
  expect(await ids("/v1/store/orders")).toEqual([1, 2, 3, 4, 5]);
  expect(await ids("/v1/store/orders?status=placed")).toEqual([1, 3, 4, 5]);
  expect(await ids("/v1/store/orders?petId=2")).toEqual([2]);
  expect(await ids("/v1/store/orders?petId=2&status=placed")).toEqual([]);
  expect(await ids("/v1/store/orders?status=placed,completed,cancelled&sort=-id")).toEqual([5, 4, 3, 2, 1]);
  expect(await ids("/v1/store/orders?status=completed,cancelled")).toEqual([2]);
  expect(await ids("/v1/store/orders?sort=-id")).toEqual([5, 4, 3, 2, 1]);
  expect(await ids("/v1/store/orders?sort=-id&status=placed")).toEqual([5, 4, 3, 1]);
  const first = await client.call("/v1/store/orders?status=placed&limit=2");
  const next = nextPageOf(first) ?? "";
  expect(next).toStartWith("/v1/store/orders?limit=2&status=placed&cursor=");
  expect(await ids(next)).toEqual([4, 5]);
  expect((await client.call(next.replace("placed", "cancelled"))).status).toBe(400);
  const cursor = new URLSearchParams(next.split("?")[1]).get("cursor");
  expect((await client.call(`/v1/pets?status=sold&cursor=${cursor}`)).status).toBe(400);
  expect((await client.call("/v1/store/orders?status=sold")).json).toMatchObject({
    message: "status must be one of placed, completed, cancelled.",
  });
});

it("getInventory with categoryId= counts the animals of the category, and an invalid id gets 400", async (service) => {
  const { client } = service;
  for (const categoryId of [7, 7, 8]) await client.call("/v1/pets", { body: { name: "Rex", categoryId } });
  const at = async (id: string) => (await client.call(`/v1/store/inventory?categoryId=${id}`)).json;
  expect(await at("7")).toEqual({ available: 2, pending: 0, sold: 0 });
  expect(await at("9223372036854775807")).toEqual({ available: 0, pending: 0, sold: 0 });
  for (const id of ["", "x", "9223372036854775808"]) {
    expect(await at(id)).toMatchObject({ status: 400, message: expect.stringMatching(/^categoryId must be/) });
  }
});

it("the counts of getInventory follow every change of an animal", async ({ client }) => {
  const counts = async () => (await client.call("/v1/store/inventory")).json;
  expect(await counts()).toEqual({ available: 0, pending: 0, sold: 0 });
  for (const status of ["available", "available", "pending", "sold"]) {
    await client.call("/v1/pets", { body: { name: "Rex", categoryId: 1, status } });
  }
  expect(await counts()).toEqual({ available: 2, pending: 1, sold: 1 });
  await client.call("/v1/store/orders", { body: { petId: 1 } });
  expect(await counts()).toEqual({ available: 1, pending: 2, sold: 1 });
  await client.call("/v1/store/orders/1/complete", { method: "POST" });
  await client.call("/v1/pets/4", { method: "DELETE" });
  await client.call("/v1/pets/3", { method: "PATCH", body: { status: "available" } });
  expect(await counts()).toEqual({ available: 2, pending: 0, sold: 1 });
});
