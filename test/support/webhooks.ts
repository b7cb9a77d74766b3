import { parseWebhookKey } from "../../src/sealing/secret-box.ts";
import type { WebhookOptions } from "../../src/webhooks/webhook-engine.ts";
import type { Client } from "./client.ts";

/** The key that encrypts webhook secrets, in the format of ANIMAL_STORE_WEBHOOK_KEY. */
export const webhookKey = Buffer.alloc(32, 7).toString("base64");

/** Options for services that may send events to this machine, with frequent checks. */
export const webhookOptions: WebhookOptions = {
  key: parseWebhookKey(webhookKey),
  allowedNetworks: ["127.0.0.0/8"],
  checkIntervalMs: 10,
  // Only receivers that hang on purpose reach this timeout, even on a busy machine.
  responseTimeoutMs: 600_000,
};

export interface WebhookJson {
  readonly id: number;
  readonly secret: string;
  readonly status: string;
  readonly disabledReason: string | null;
  readonly failingSince: string | null;
  readonly types: readonly string[];
}

export interface DeliveryJson {
  readonly id: number;
  readonly eventId: string;
  readonly type: string;
  readonly subject: string;
  readonly attempt: number;
  readonly at: string;
  readonly outcome: string;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly nextAttemptAt: string | null;
}

export async function addWebhook(client: Client, url: string, types: readonly string[] = []): Promise<WebhookJson> {
  const response = await client.call("/v1/webhooks", { body: { url, types } });
  if (response.status !== 201) throw new Error(`The webhook was not created: ${response.text}`);
  return response.json as WebhookJson;
}

export async function getWebhook(client: Client, id = 1): Promise<WebhookJson> {
  return (await client.call(`/v1/webhooks/${id}`)).json as WebhookJson;
}

export async function fetchDeliveries(client: Client, id = 1): Promise<readonly DeliveryJson[]> {
  return (await client.call(`/v1/webhooks/${id}/deliveries?limit=100`)).json as DeliveryJson[];
}

export async function addPets(client: Client, count: number): Promise<void> {
  for (let addedCount = 0; addedCount < count; addedCount++)
    await client.call("/v1/pets", { body: { name: `Animal ${addedCount}`, categoryId: 1 } });
}

/** Adds many animals in one batch, which logs an event for each animal. */
export async function addPetBatch(client: Client, count: number): Promise<void> {
  const pets = Array.from({ length: count }, (_, index) => ({ name: `Animal ${index}`, categoryId: 1 }));
  const { status, text } = await client.call("/v1/pets:batch", { body: { pets } });
  if (status !== 200) throw new Error(text);
}

export async function renamePet(client: Client, id: number, name: string): Promise<void> {
  const { status } = await client.call(`/v1/pets/${id}`, { method: "PATCH", body: { name } });
  if (status !== 200) throw new Error(`Animal ${id} was not renamed.`);
}
