import { afterAll, describe, expect, test } from "bun:test";
import { operations } from "../../src/operations/index.ts";
import { pathParameter } from "../../src/operations/operation.ts";
import type { Client } from "../support/client.ts";
import { Receiver } from "../support/receiver.ts";
import { errorBody, startService } from "../support/service.ts";
import { until } from "../support/wait.ts";
import { addPets, addWebhook, webhookOptions } from "../support/webhooks.ts";

const service = await startService({ webhooks: webhookOptions });
await service.database.fill(3);
afterAll(() => service[Symbol.asyncDispose]());

const preconditionFailed = errorBody(
  412,
  "PreconditionFailed",
  "The resource does not match If-Match or If-None-Match. Read it again, then decide.",
);

async function createOrder(): Promise<{ path: string; etag: string }> {
  const pet = await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  const { id: petId } = pet.json as { id: number };
  const order = await service.client.call("/v1/store/orders", { body: { petId } });
  return { path: order.headers.get("location") ?? "", etag: order.headers.get("etag") ?? "" };
}

const reads = ["/v1/pets", "/v1/pets?id=1", "/v1/pets/1", "/v1/store/orders", "/v1/store/inventory", "/v1/categories"];

test.each(reads)("a read of %s with If-Match returns 200 for the current ETag, and 412 for any other", async (path) => {
  // The later rounds read from the page cache.
  for (let round = 0; round < 3; round++) {
    const etag = (await service.client.call(path)).headers.get("etag") ?? "";
    const read = (ifMatch: string, rest = {}) =>
      service.client.call(path, { headers: { "if-match": ifMatch, ...rest } });
    for (const header of [etag, "*", `"other", ${etag}`]) expect((await read(header)).status).toBe(200);
    for (const header of ['"other"', `W/${etag}`]) expect((await read(header)).json).toEqual(preconditionFailed);
    expect((await read(etag, { "if-none-match": etag })).status).toBe(304);
    expect((await read('"other"', { "if-none-match": etag })).status).toBe(412);
  }
});

test("a read of an unknown resource with If-Match gets 404", async () => {
  expect((await service.client.call("/v1/pets/99", { headers: { "if-match": '"x"' } })).status).toBe(404);
});

test("an event stream has no ETag, so If-Match gets 412", async () => {
  const accept = "text/event-stream";
  const stream = await service.client.call("/v1/events", { headers: { accept, "if-match": '"x"' } });
  expect(stream.json).toEqual(preconditionFailed);
});

describe.each(["complete", "cancel"])("If-Match on %s", (verb) => {
  const close = (path: string, headers: Record<string, string>) =>
    service.client.call(`${path}/${verb}`, { method: "POST", headers });

  test("If-Match lets a client end an order only in the state that it knows", async () => {
    const { path, etag } = await createOrder();
    expect((await service.client.call(path)).headers.get("etag")).toBe(etag);
    expect((await close(path, { "if-match": '"other"' })).json).toEqual(preconditionFailed);
    expect((await close(path, { "if-none-match": etag })).status).toBe(412);
    expect((await service.client.call(path)).json).toMatchObject({ status: "placed" });
    const closed = await close(path, { "if-match": etag });
    expect(closed.status).toBe(200);
    expect((await close(path, { "if-match": etag })).status).toBe(412);
    expect((await close(path, { "if-match": closed.headers.get("etag") ?? "" })).status).toBe(409);
  });

  test("a repeated request with If-Match gets the first response, although the order has changed since", async () => {
    const { path, etag } = await createOrder();
    const headers = { "if-match": etag, "idempotency-key": crypto.randomUUID() };
    const first = await close(path, headers);
    const again = await close(path, headers);
    expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([200, 200, "true"]);
    expect(again.text).toBe(first.text);
  });

  test("a response of 412 is stored for its Idempotency-Key, and is repeated even with another If-Match", async () => {
    const { path, etag } = await createOrder();
    const key = crypto.randomUUID();
    expect((await close(path, { "if-match": '"other"', "idempotency-key": key })).json).toEqual(preconditionFailed);
    for (const condition of [{ "if-match": etag }, {}]) {
      const again = await close(path, { ...condition, "idempotency-key": key });
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([412, "true"]);
    }
  });

  test("If-Match on an unknown order gets 404", async () => {
    expect((await close("/v1/store/orders/999999", { "if-match": '"x"' })).status).toBe(404);
  });
});

describe.each(["rotate", "revoke"])("If-Match on %s", (verb) => {
  test("If-Match lets a client rotate or revoke a key only in the state that it knows", async () => {
    const created = await service.client.call("/v1/keys", { body: { name: "till", scope: "read" } });
    const path = created.headers.get("location") ?? "";
    const etag = (await service.client.call(path)).headers.get("etag") ?? "";
    const send = (ifMatch: string) =>
      service.client.call(`${path}/${verb}`, { method: "POST", headers: { "if-match": ifMatch } });
    expect((await send('"other"')).json).toEqual(preconditionFailed);
    expect((await service.client.call(path)).json).toMatchObject({ state: "active" });
    expect((await send(etag)).status).toBeWithin(200, 202);
    expect((await send(etag)).status).toBe(412);
  });
});

const read = async (client: Client, path: string) => {
  const { headers, json } = await client.call(path);
  return { etag: headers.get("etag") ?? "", json: json as Readonly<Record<string, unknown>> };
};

test("using a key does not change its ETag, so a revocation with If-Match succeeds", async () => {
  await using other = await startService();
  const { client } = other;
  const created = await client.call("/v1/keys", { body: { name: "till", scope: "read" } });
  const { key } = created.json as { key: string };
  const path = created.headers.get("location") ?? "";
  const beforeUse = await read(client, path);
  const current = (await client.call("/v1/keys/current", { key })).headers.get("etag");
  await other.service.recordUses();
  const afterUse = await read(client, path);
  expect([beforeUse.json["lastUsedAt"], afterUse.json["lastUsedAt"]]).toEqual([null, expect.any(String)]);
  expect([afterUse.etag, current]).toEqual([beforeUse.etag, beforeUse.etag]);
  const revoked = await client.call(`${path}/revoke`, { method: "POST", headers: { "if-match": beforeUse.etag } });
  expect([revoked.status, revoked.headers.get("etag")]).toEqual([200, (await read(client, path)).etag]);
  expect(revoked.headers.get("etag")).not.toBe(beforeUse.etag);
});

test("failed deliveries do not change the ETag of a webhook", async () => {
  await using receiver = await Receiver.start(() => 500);
  await using other = await startService({ webhooks: webhookOptions });
  const { client } = other;
  await addWebhook(client, receiver.url);
  const before = await read(client, "/v1/webhooks/1");
  await addPets(client, 1);
  await until(async () => (await read(client, "/v1/webhooks/1")).json["failingSince"] !== null);
  expect((await read(client, "/v1/webhooks/1")).etag).toBe(before.etag);
  const headers = { "if-match": before.etag };
  const options = { method: "PATCH", headers, body: { description: "the till" } };
  expect((await client.call("/v1/webhooks/1", options)).status).toBe(200);
  expect((await client.call("/v1/webhooks/1", { method: "DELETE", headers })).status).toBe(412);
});

test("a resource has its earlier ETag again after a change is reverted", async () => {
  const path = "/v1/pets/3";
  const { etag } = await read(service.client, path);
  const { name } = (await read(service.client, path)).json;
  const rename = (name: unknown) => service.client.call(path, { method: "PATCH", body: { name } });
  expect((await rename("Another")).headers.get("etag")).not.toBe(etag);
  expect((await rename(name)).headers.get("etag")).toBe(etag);
});

const creations = operations.filter(({ method, params }) => method === "POST" && !params);

test.each(creations.map((creation) => [creation.id, creation] as const))(
  "If-Match never matches when %s creates something, so nothing is created",
  async (_, { id, path, body }) => {
    const example = Object.values(body?.examples ?? {})[0]?.[1];
    const pet = await service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
    const { id: petId } = pet.json as { id: number };
    const send = (headers: Record<string, string>) =>
      service.client.call(`/v1${path}`, {
        body: id === "placeOrder" ? { petId } : example,
        headers: { "content-type": "application/json", ...headers },
      });
    const list = async () => {
      const { json } = await service.client.call(`/v1${path.replace(/:.*/, "")}?limit=100`);
      return (json as { id: number }[]).map(({ id }) => id);
    };
    const before = await list();
    for (const header of ['"x"', '"x",', ",", "", '"x",,"y"', '""']) {
      expect((await send({ "if-match": header })).json).toEqual(preconditionFailed);
    }
    expect(await list()).toEqual(before);
    expect((await send({ "if-match": "*" })).status).toBeWithin(200, 202);
    expect((await list()).length).toBeGreaterThan(before.length);
  },
);

test("a creation with If-Match gets 412, even if the request is repeated, and leaves the stored outcome unchanged", async () => {
  const send = (headers: Record<string, string>) =>
    service.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 }, headers });
  const headers = { "idempotency-key": crypto.randomUUID() };
  const refuse = async () => {
    const { json, headers: sent } = await send({ ...headers, "if-match": '"x"' });
    expect([json, sent.get("idempotent-replayed")]).toEqual([preconditionFailed, null]);
  };
  await refuse();
  const created = await send(headers);
  expect([created.status, created.headers.get("idempotent-replayed")]).toEqual([201, null]);
  await refuse();
  const again = await send(headers);
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([created.text, "true"]);
});

test("no operation ignores If-Match", async () => {
  const { path: orderPath } = await createOrder();
  const webhook = await service.client.call("/v1/webhooks", { body: { url: "https://hooks.shop.example" } });
  await service.client.call("/v1/categories/1", { method: "PUT", body: { name: "Dogs" } });
  const { json } = await service.client.call("/v1/keys", { body: { name: "till", scope: "read" } });
  const ids: Readonly<Record<string, string>> = {
    petId: "1",
    categoryId: "1",
    keyId: String((json as { id: number }).id),
    webhookId: String((webhook.json as { id: number }).id),
    deliveryId: "1",
    orderId: orderPath.split("/").at(-1) ?? "",
  };
  for (const { id, method, path, body } of operations) {
    const target = `/v1${path.replace(pathParameter, (_, name) => ids[name] ?? "")}`;
    const response = await service.client.call(target, {
      method,
      headers: { "if-match": '"other"' },
      ...(body && { body: Object.values(body.examples)[0]?.[1] }),
    });
    expect([id, response.status]).toEqual([id, 412]);
  }
});

test("Link, Location and the type of a problem contain the public path", async () => {
  await using shop = await startService({ publicPath: "/shop/v1" });
  const created = await shop.client.call("/v1/pets", { body: { name: "Rex", categoryId: 7 } });
  expect(created.headers.get("location")).toBe("/shop/v1/pets/1");
  await shop.client.call("/v1/pets", { body: { name: "Max", categoryId: 7 } });
  const { headers } = await shop.client.call("/v1/pets?limit=1");
  expect(headers.get("link")).toMatch(
    /^<\/shop\/v1\/pets\?limit=1&cursor=[\w-]+>; rel="next", <\/shop\/v1\/pets\?limit=1>; rel="first"$/,
  );
  expect((await shop.client.call("/v1/pets/1")).headers.get("link")).toBe(
    '</shop/v1/pets?id=1>; rel="successor-version"',
  );
  const problem = await shop.client.call("/v1/pets/9", { headers: { accept: "application/problem+json" } });
  expect(problem.json).toMatchObject({ type: "/shop/docs/errors#NotFound" });
});
