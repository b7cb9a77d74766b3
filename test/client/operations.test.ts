import { afterAll, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  AnimalStore,
  type Operations,
  type WebhookDelivery,
  WebhookVerificationError,
} from "../../packages/client/src/index.ts";
import { projectFolder } from "../support/program.ts";
import { Receiver } from "../support/receiver.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/wait.ts";
import { webhookOptions } from "../support/webhooks.ts";

const read = (file: string) => readFileSync(join(projectFolder, file), "utf8");
const { paths }: { paths: Record<string, Record<string, DocumentedOperation>> } = JSON.parse(read("openapi.json"));
interface DocumentedOperation {
  readonly operationId: string;
  readonly "x-sunset"?: string;
}
const documentedOperations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

/** A call of each operation. The calls succeed in this order on an initially empty store. */
const calls: { readonly [Id in keyof Operations]: (store: AnimalStore) => PromiseLike<unknown> } = {
  createPet: (store) => store.pets.create({ name: "Rex", categoryId: 7 }),
  listPets: (store) => store.pets.list({ status: ["available", "sold"], id: [1, 2n], sort: "-id" }).page(),
  getPet: (store) => store.pets.get(1),
  updatePet: (store) => store.pets.update(1, { name: "Rexy" }),
  exportPets: async (store) => await Array.fromAsync(await store.pets.export()),
  placeOrder: (store) => store.orders.place({ petId: 1 }),
  listOrders: (store) => store.orders.list({ petId: 1, sort: "-id" }).page(),
  getOrder: (store) => store.orders.get(1),
  completeOrder: (store) => store.orders.complete(1),
  cancelOrder: async (store) => {
    const { id } = await store.pets.create({ name: "Kim", categoryId: 7 });
    return store.orders.cancel((await store.orders.place({ petId: id })).id);
  },
  createPets: (store) => store.pets.createMany([{ name: "Mia", categoryId: 7 }], { atomic: false }),
  deletePet: (store) => store.pets.delete(1),
  getInventory: (store) => store.inventory.get(),
  putCategory: (store) => store.categories.put(7, { name: "Dogs" }),
  listCategories: (store) => store.categories.list().page(),
  getCategory: (store) => store.categories.get(7),
  deleteCategory: (store) => store.categories.delete(7),
  listEvents: (store) => store.events.list({ subject: "pets/1", sort: "-position" }).page(),
  createKey: (store) => store.keys.create({ name: "till 1", scope: "write" }),
  listKeys: (store) => store.keys.list().page(),
  getCurrentKey: (store) => store.keys.current(),
  getKey: (store) => store.keys.get(1),
  rotateKey: (store) => store.keys.rotate(1, { overlapSeconds: 60 }),
  revokeKey: (store) => store.keys.revoke(2),
  createWebhook: (store) => store.webhooks.create({ url: receiver.url, types: ["pet.created"] }),
  listWebhooks: (store) => store.webhooks.list().page(),
  getWebhook: (store) => store.webhooks.get(1),
  updateWebhook: (store) => store.webhooks.update(1, { description: "the window" }),
  rotateWebhookSecret: (store) => store.webhooks.rotateSecret(1, { overlapSeconds: 60 }),
  testWebhook: (store) => store.webhooks.test(1),
  listWebhookDeliveries: (store) => store.webhooks.deliveries(1, { limit: 1 }),
  retryWebhookDelivery: async (store) => {
    const { id } = await store.pets.create({ name: "Kim", categoryId: 7 });
    const isOfKim = ({ subject }: WebhookDelivery) => subject === `pets/${id}`;
    await until(async () => (await store.webhooks.deliveries(1)).some(isOfKim));
    return store.webhooks.retryDelivery(1, (await store.webhooks.deliveries(1)).find(isOfKim)?.id ?? 0);
  },
  replayWebhook: (store) => store.webhooks.replay(1, { from: "end" }),
  deleteWebhook: (store) => store.webhooks.delete(1),
};

const requests: { method: string; path: string; headers: Headers }[] = [];
const receiver = await Receiver.start();
const service = await startService({ webhooks: webhookOptions });
const store = new AnimalStore({
  baseUrl: service.client.url,
  apiKey: service.client.key,
  logger: { warn() {} },
  fetch: ((address: string, init: RequestInit) => {
    const { pathname } = new URL(address);
    requests.push({ method: init.method ?? "", path: pathname, headers: new Headers(init.headers) });
    return service.client.fetch(address, init);
  }) as typeof globalThis.fetch,
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

test("the client has a method for each operation of the document", () => {
  expect(Object.keys(calls).sort()).toEqual(documentedOperations.map(({ operation }) => operation.operationId).sort());
});

test.each(Object.entries(calls))("the client calls %s at the path in the document, and succeeds", async (id, call) => {
  requests.length = 0;
  await call(store);
  const { method, path } = documentedOperations.find(({ operation }) => operation.operationId === id) ?? {};
  const request = requests.at(-1);
  expect(request?.method).toBe(method ?? "");
  expect(request?.path).toMatch(new RegExp(`^/v1${path?.replace(/\{\w+\}/g, "[^/]+")}$`));
  expect(request?.headers.has("idempotency-key")).toBe(method === "POST");
});

test("the client verifies a webhook with its secret, and during a rotation also with the previous one", async () => {
  await using service = await startService({ webhooks: webhookOptions });
  await using hooks = await Receiver.start();
  const store = new AnimalStore({ baseUrl: service.client.url, apiKey: service.client.key });
  const { id, secret } = await store.webhooks.create({ url: hooks.url });
  const rotated = await store.webhooks.rotateSecret(id);
  await store.pets.create({ name: "Moby 🐋", categoryId: 9_223_372_036_854_775_807n });
  await until(() => hooks.received.some(({ event }) => event.type === "pet.created"));
  const { body, headers } = hooks.received.find(({ event }) => event.type === "pet.created") ?? {
    body: "",
    headers: {},
  };
  for (const each of [secret, rotated.secret]) {
    const event = await store.webhooks.verify(Buffer.from(body), headers, each);
    expect(event.data).toEqual({ id: 1, name: "Moby 🐋", categoryId: 9_223_372_036_854_775_807n, status: "available" });
  }
  const forged = store.webhooks.verify(Buffer.from(body.replace("Moby", "Dick")), headers, secret);
  expect(await forged.catch((error) => error)).toBeInstanceOf(WebhookVerificationError);
});

test("the documentation of a deprecated method says when the method stops working", () => {
  const deprecated = documentedOperations.filter(({ operation }) => operation["x-sunset"]);
  expect(deprecated.length).toBeGreaterThan(0);
  const source = read("packages/client/src/methods.ts");
  for (const { operation } of deprecated) {
    const [, comment = ""] =
      new RegExp(`/\\*\\*((?:(?!\\*/)[\\s\\S])*)\\*/\\s*\\w+: "${operation.operationId}"`).exec(source) ?? [];
    expect(comment).toContain("@deprecated");
    expect(comment).toContain(operation["x-sunset"] ?? "");
  }
});

test("the committed types of the client match the output of their generator", async () => {
  const child = Bun.spawn([process.execPath, "scripts/client-types.ts", "--print"], { cwd: projectFolder });
  expect(await child.stdout.text()).toBe(read("packages/client/src/generated.ts"));
});
