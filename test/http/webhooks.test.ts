import { expect, test } from "bun:test";
import { Receiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/wait.ts";
import { addPets, addWebhook, fetchDeliveries, type WebhookJson, webhookOptions } from "../support/webhooks.ts";

const start = () => startService({ webhooks: webhookOptions });
const hookUrl = "https://hooks.shop.example/animals";

test("a webhook is created with a secret, which only the response to its creation shows", async () => {
  await using service = await start();
  const { client } = service;
  const created = await client.call("/v1/webhooks", {
    body: { url: hookUrl, types: ["pet.created"], description: "the window" },
  });
  expect(created.status).toBe(201);
  expect([created.headers.get("location"), created.headers.get("etag")]).toEqual(["/v1/webhooks/1", null]);
  const { secret, ...rest } = created.json as WebhookJson;
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(rest).toMatchObject({
    id: 1,
    url: hookUrl,
    types: ["pet.created"],
    description: "the window",
    status: "enabled",
    disabledReason: null,
  });
  expect((await client.call("/v1/webhooks/1")).json).toEqual(rest);
  expect((await client.call("/v1/webhooks")).json).toEqual([rest]);
  const bare = Buffer.from(secret.slice(6), "base64").toString("hex");
  const stored = JSON.stringify(await service.store.webhooks.getSecrets(1));
  for (const text of [secret, secret.slice(6), bare]) expect(stored).not.toContain(text);
});

test("a webhook is created once for repeated requests with one Idempotency-Key, and each response has the secret", async () => {
  await using service = await start();
  const { client } = service;
  const send = (path: string, body: object, name: string) =>
    client.call(path, { body, headers: { "idempotency-key": name } });
  for (const [path, body] of [
    ["/v1/webhooks", { url: hookUrl }],
    ["/v1/webhooks/1/rotate", {}],
  ] as const) {
    const first = await send(path, body, path);
    const again = await send(path, body, path);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    expect((await send(path, body, `${path}-2`)).text).not.toBe(first.text);
  }
  expect((await client.call("/v1/webhooks")).json).toHaveLength(2);
});

test("a repeated request for a deleted webhook gets its stored response, and a new request gets 404", async () => {
  await using receiver = await Receiver.start();
  await using service = await start();
  const { client } = service;
  await addWebhook(client, receiver.url);
  const requests = [
    ["rotate", {}],
    ["replay", { from: "end" }],
    ["test", {}],
  ] as const;
  const send = ([verb, body]: (typeof requests)[number], name: string) =>
    client.call(`/v1/webhooks/1/${verb}`, { body, headers: { "idempotency-key": name } });
  for (const request of requests) expect((await send(request, "first")).status).toBe(200);
  await client.call("/v1/webhooks/1", { method: "DELETE" });
  for (const request of requests) {
    const again = await send(request, "first");
    expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([200, "true"]);
    expect((await send(request, "another")).status).toBe(404);
  }
});

test.each([
  ["http://10.0.0.1/", "url must not lead to 10.0.0.1, which is not a public address."],
  ["https://[::1]/", "url must not lead to ::1, which is not a public address."],
  ["https://169.254.169.254/latest", "url must not lead to 169.254.169.254, which is not a public address."],
  ["https://0xa9fea9fe/", "url must not lead to 169.254.169.254, which is not a public address."],
  ["https://0127.0.0.1/", "url must have its address in the usual form: 87.0.0.1."],
  ["https://00000127.0.0.1:8443", "url must have its address in the usual form: 87.0.0.1."],
  ["https://134744072/", "url must have its address in the usual form: 8.8.8.8."],
  ["https://8.8.8.8./", "url must have its address in the usual form: 8.8.8.8."],
  ["https://8%2e8.8.8/", "url must have its address in the usual form: 8.8.8.8."],
  ["https://[2606:4700:0:0::1111]/", "url must have its address in the usual form: 2606:4700::1111."],
  ["https://[2000::]/", "url must not lead to 2000::, which is not a public address."],
  ["https://user:pass@shop.example/", "url must not contain a user, a password or a fragment."],
  ["https://shop.example:0/", "url must not have the port 0, at which nothing can listen."],
  ["https://shop.example/#part", "url must not contain a user, a password or a fragment."],
  ["https://[shop", "url must be a URL such as https://shop.example/hooks."],
  ["ftp://shop.example/", "url must be a URL of at most 2048 ASCII characters such as https://shop.example/hooks."],
])("a webhook cannot have the URL %s", async (url, message) => {
  await using service = await start();
  const response = await service.client.call("/v1/webhooks", { body: { url } });
  expect(response.json).toMatchObject({ status: 400, message });
  await addWebhook(service.client, hookUrl);
  const patch = await service.client.call("/v1/webhooks/1", { method: "PATCH", body: { url } });
  expect(patch.json).toMatchObject({ status: 400, message });
});

test.each(["https://8.8.8.8", "https://8.8.8.8:443/?a", "https://[2606:4700:4700::ABCD]:8443/hooks"])(
  "a webhook can have the URL %s",
  async (url) => {
    await using service = await start();
    expect((await service.client.call("/v1/webhooks", { body: { url } })).status).toBe(201);
  },
);

test("a webhook must have an https URL unless the operator has allowed networks", async () => {
  await using service = await startService({ webhooks: { key: webhookOptions.key } });
  const message = "url must begin with https://.";
  const headers = { accept: "application/problem+json" };
  const response = await service.client.call("/v1/webhooks", { body: { url: "http://shop.example/" }, headers });
  expect(response.json).toMatchObject({ status: 400, detail: message, errors: [{ pointer: "#/url", message }] });
});

test("a webhook accepts only known event types, each once", async () => {
  await using service = await start();
  for (const types of [["pet.sold"], ["pet.created", "pet.created"], "pet.created", null]) {
    const response = await service.client.call("/v1/webhooks", { body: { url: hookUrl, types } });
    expect(response.json).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^types must be an array of some of pet\.created,/),
    });
  }
});

test("a webhook is changed field by field, and not at all if If-Match is stale", async () => {
  await using service = await start();
  const { client } = service;
  await addWebhook(client, hookUrl, ["pet.created"]);
  const read = await client.call("/v1/webhooks/1");
  const etag = read.headers.get("etag") ?? "";
  const patch = (body: object, headers: Record<string, string> = {}) =>
    client.call("/v1/webhooks/1", { method: "PATCH", body, headers });
  const changed = await patch({ types: [], description: "all" }, { "if-match": etag });
  expect(changed.json).toMatchObject({ url: hookUrl, types: [], description: "all", status: "enabled" });
  expect((await patch({ types: [] }, { "if-match": etag })).status).toBe(412);
  expect((await patch({ status: "disabled" })).json).toMatchObject({ status: "disabled", disabledReason: "request" });
  expect((await patch({ description: null, status: "enabled" })).json).toMatchObject({
    description: null,
    status: "enabled",
    disabledReason: null,
  });
  expect((await client.call("/v1/webhooks/1", { method: "DELETE", headers: { "if-match": etag } })).status).toBe(412);
  expect((await client.call("/v1/webhooks/1", { method: "DELETE" })).status).toBe(204);
  expect((await client.call("/v1/webhooks/1")).json).toMatchObject({
    status: 404,
    message: "No webhook has the id 1.",
  });
});

test("a webhook sends to its new URL after a change, and nothing after its deletion", async () => {
  await using first = await Receiver.start(() => "hang");
  await using second = await Receiver.start();
  await using service = await start();
  const { client } = service;
  await addWebhook(client, first.url);
  await addPets(client, 1);
  await first.untilReceived(1);
  // The delivery that hangs at the first receiver is aborted, and repeated at the second.
  await client.call("/v1/webhooks/1", { method: "PATCH", body: { url: second.url } });
  await second.untilReceived(1);
  expect(second.ids).toEqual(first.ids);
  await client.call("/v1/webhooks/1", { method: "DELETE" });
  await addWebhook(client, first.url);
  await addPets(client, 1);
  await first.untilReceived(2);
  expect(second.received).toHaveLength(1);
});

test("a deleted webhook gets no more events, even before the leases are renewed", async () => {
  await using deleted = await Receiver.start();
  await using kept = await Receiver.start();
  await using service = await start();
  const { client, store } = service;
  for (const { url } of [deleted, kept]) await addWebhook(client, url, ["pet.created"]);
  await addPets(client, 1);
  await Promise.all([deleted.untilReceived(1), kept.untilReceived(1)]);
  const gate = Promise.withResolvers<void>();
  // Opens the gate at the end of the test, because the service cannot stop while it waits for the gate.
  using _ = { [Symbol.dispose]: gate.resolve };
  const lease = store.webhooks.acquireLeases.bind(store.webhooks);
  Object.assign(store.webhooks, {
    acquireLeases: async (...args: Parameters<typeof lease>) => {
      await gate.promise;
      return await lease(...args);
    },
  });
  await client.call("/v1/webhooks/1", { method: "DELETE" });
  await addPets(client, 10);
  await kept.untilReceived(11);
  gate.resolve();
  expect(deleted.received).toHaveLength(1);
});

test("a webhook cannot be created, rotated or tested if the service has no key for secrets, and the message names the setting", async () => {
  await using service = await startService();
  const { client, store } = service;
  const webhook = { url: hookUrl, types: "", description: null, createdAt: 1 };
  await store.webhooks.create(webhook, { sealed: "v1.unknown" }, undefined);
  for (const [path, body] of [
    ["/v1/webhooks", { url: hookUrl }],
    ["/v1/webhooks/1/rotate", {}],
    ["/v1/webhooks/1/test", {}],
  ] as const) {
    expect((await client.call(path, { body })).json).toMatchObject({
      status: 409,
      message:
        "Webhooks are not set up: the service has no key for their secrets. Ask the operator of the store to set ANIMAL_STORE_WEBHOOK_KEY.",
    });
  }
  expect((await client.call("/v1/webhooks/1")).status).toBe(200);
});

test("a webhook whose secret was sealed with another key gets no events until its secret is rotated", async () => {
  await using receiver = await Receiver.start();
  await using other = await Receiver.start();
  // With this long interval, the engine checks webhooks only after a change to a webhook.
  await using service = await startService({ webhooks: { ...webhookOptions, checkIntervalMs: 600_000 } });
  const { client, store } = service;
  const webhook = { url: receiver.url, types: "", description: null, createdAt: 1 };
  await store.webhooks.create(webhook, { sealed: "v1.sealed-with-another-key-that-is-unknown-here" }, undefined);
  expect((await client.call("/v1/webhooks/1/test", { body: {} })).json).toMatchObject({
    status: 409,
    message: expect.stringContaining("sealed with another ANIMAL_STORE_WEBHOOK_KEY"),
  });
  await addWebhook(client, other.url);
  await addPets(client, 1);
  await until(() => other.received.length > 0);
  expect(receiver.received).toEqual([]);
  await client.call("/v1/webhooks/1/rotate", { body: {} });
  expect((await client.call("/v1/webhooks/1/test", { body: {} })).json).toMatchObject({ outcome: "delivered" });
  await addPets(client, 1);
  await until(() => receiver.received.some(({ event }) => event["subject"] === "pets/2"));
});

test("a test event is delivered at once, even to a disabled webhook, and the response has the outcome", async () => {
  await using receiver = await Receiver.start();
  await using service = await start();
  const { client } = service;
  await addWebhook(client, receiver.url);
  await client.call("/v1/webhooks/1", { method: "PATCH", body: { status: "disabled" } });
  const delivered = await client.call("/v1/webhooks/1/test", { method: "POST" });
  expect(delivered.json).toMatchObject({
    id: 1,
    type: "webhook.test",
    subject: "webhooks/1",
    attempt: 1,
    outcome: "delivered",
    responseStatus: 204,
    error: null,
    nextAttemptAt: null,
  });
  expect(receiver.received[0]?.event).toMatchObject({
    id: (delivered.json as { eventId: string }).eventId,
    type: "webhook.test",
    subject: "webhooks/1",
  });
  receiver.respondWith(() => 500);
  const failed = await client.call("/v1/webhooks/1/test", { method: "POST" });
  expect(failed.json).toMatchObject({
    outcome: "failed",
    responseStatus: 500,
    error: "The receiver answered with 500.",
  });
  expect((await fetchDeliveries(client)).map(({ id }) => id)).toEqual([2, 1]);
  expect((await client.call("/v1/webhooks/1/deliveries?limit=1")).json).toHaveLength(1);
  const retried = await client.call("/v1/webhooks/1/deliveries/2/retry", { method: "POST" });
  expect(retried.json).toMatchObject({ status: 409, message: expect.stringContaining("was a test") });
});

test("a test event that is requested twice with one Idempotency-Key is sent once", async () => {
  await using receiver = await Receiver.start();
  await using service = await start();
  await addWebhook(service.client, receiver.url);
  const send = () =>
    service.client.call("/v1/webhooks/1/test", { method: "POST", headers: { "idempotency-key": "test-1" } });
  const first = await send();
  const again = await send();
  expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
  expect(receiver.received).toHaveLength(1);
});

test("metrics count deliveries by outcome, including test events", async () => {
  await using receiver = await Receiver.start();
  await using service = await start();
  const { client, metrics } = service;
  await addWebhook(client, receiver.url);
  const untilMetric = (name: string, value: number) =>
    until(async () => (await metrics.render()).includes(`animal_store_webhook_${name} ${value}`));
  const untilCounted = (outcome: string, count: number) =>
    untilMetric(`delivery_duration_seconds_count{outcome="${outcome}"}`, count);
  await client.call("/v1/webhooks/1/test", { method: "POST" });
  await untilCounted("delivered", 1);
  await addPets(client, 2);
  await untilCounted("delivered", 3);
  receiver.respondWith(() => 500);
  await addPets(client, 1);
  await untilCounted("refused", 1);
  await untilMetric("parked_events", 1);
  await receiver[Symbol.asyncDispose]();
  await addPets(client, 1);
  await untilCounted("unreachable", 1);
});
