import { type Html, html } from "../../base/html.ts";
import { literal } from "./literal.ts";
import type { SampleRequest } from "./sample-request.ts";

/** How a program asks with `animal-store/client`; undefined for an operation that the client has no method for. */
export function clientSample({
  operationId,
  origin,
  arguments: params,
  body,
  answer,
}: SampleRequest): Html | undefined {
  const method = clientMethods[operationId];
  if (!method) return undefined;
  const ofBody = body ? [bodyArguments[operationId]?.(body.value) ?? body.value] : [];
  const args = [...params, ...ofBody].map((value) => literal(value)).join(", ");
  return html`import { AnimalStore } from "animal-store/client";

const store = new AnimalStore({
  baseUrl: "${origin}",
  apiKey: "ask_...",
});
${uses[answer](`store.${method}(${args})`)}`;
}

const uses = {
  nothing: (call: string) => `await ${call};`,
  value: (call: string) => `const result = await ${call};`,
  pages: (call: string) => `for await (const item of ${call}) {\n  console.log(item);\n}`,
  lines: (call: string) => `for await (const item of await ${call}) {\n  console.log(item);\n}`,
} as const;

/** The method of the client for each operation. */
const clientMethods: Readonly<Record<string, string>> = {
  listPets: "pets.list",
  createPet: "pets.create",
  createPets: "pets.createMany",
  getPet: "pets.get",
  updatePet: "pets.update",
  deletePet: "pets.delete",
  exportPets: "pets.export",
  listOrders: "orders.list",
  placeOrder: "orders.place",
  getOrder: "orders.get",
  completeOrder: "orders.complete",
  cancelOrder: "orders.cancel",
  getInventory: "inventory.get",
  listCategories: "categories.list",
  getCategory: "categories.get",
  putCategory: "categories.put",
  deleteCategory: "categories.delete",
  listEvents: "events.list",
  listKeys: "keys.list",
  createKey: "keys.create",
  getCurrentKey: "keys.current",
  getKey: "keys.get",
  rotateKey: "keys.rotate",
  revokeKey: "keys.revoke",
  listWebhooks: "webhooks.list",
  createWebhook: "webhooks.create",
  getWebhook: "webhooks.get",
  updateWebhook: "webhooks.update",
  deleteWebhook: "webhooks.delete",
  rotateWebhookSecret: "webhooks.rotateSecret",
  testWebhook: "webhooks.test",
  listWebhookDeliveries: "webhooks.deliveries",
  retryWebhookDelivery: "webhooks.retryDelivery",
  replayWebhook: "webhooks.replay",
};

/** What a method takes instead of the whole body. */
const bodyArguments: Readonly<Record<string, (body: unknown) => unknown>> = {
  createPets: (body) => (body as { readonly pets: unknown }).pets,
};
