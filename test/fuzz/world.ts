import type { DatabaseAddress } from "../../src/base/database-address.ts";
import { type Scope, scopes } from "../../src/domain/key.ts";
import { generateKey } from "../../src/domain/key-secret.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Client } from "../support/client.ts";
import { linkOf } from "../support/client.ts";
import { addKey } from "../support/keys.ts";
import { webhookKey } from "../support/webhooks.ts";

/** Resources that exist when a run begins. Only the keys and the receivers' port differ from run to run. */
export interface World {
  /** Valid keys by scope. Each scope has several keys, because a mutated request may revoke one. */
  readonly keys: Readonly<Record<Scope, readonly string[]>>;
  readonly wrongKeys: readonly string[];
  readonly etags: readonly string[];
  readonly pagePaths: readonly string[];
  readonly receiverUrls: readonly string[];
}

/** The configured key, which no request can revoke. */
export const configuredKey = "7f3c1b9e52d84a06bd17e9c45f60a2d8";

export const initialCounts = { pets: 60, orders: 10, keys: 40, webhooks: 12 };

const keysPerScope = 4;

export async function fillStore(address: DatabaseAddress): Promise<Pick<World, "keys" | "wrongKeys">> {
  const store = await openStore(address, {
    poolSize: 1,
    onDeath(reason) {
      throw new Error(`The writer died: ${reason}`);
    },
  });
  const keys: Record<Scope, string[]> = { read: [], write: [], admin: Array(keysPerScope).fill(configuredKey) };
  for (const scope of scopes) {
    for (let count = 0; count < keysPerScope; count++) keys[scope].push((await addKey(store, { scope })).key);
  }
  const expired = await addKey(store, { scope: "admin", expiresAt: 1 });
  const revoked = await addKey(store, { scope: "admin" });
  await store.keys.revoke(revoked.id, Date.now(), false);
  while ((await addKey(store, { scope: "read" })).id < initialCounts.keys);
  for (let index = 1; index <= initialCounts.pets; index++) {
    await store.pets.create({ name: `Animal ${index}`, categoryId: index % 5, status: "available" });
  }
  for (let index = 1; index <= initialCounts.orders; index++) await store.orders.place({ petId: index }, Date.now());
  for (let id = 0; id < 5; id++) await store.categories.put({ id, name: `Category ${id}` }, undefined);
  await store.close();
  return { keys, wrongKeys: [expired.key, revoked.key, generateKey(), generateKey()] };
}

export async function readEtagsAndPaths(client: Client): Promise<Pick<World, "etags" | "pagePaths">> {
  const lists = [
    "/v1/pets",
    "/v1/pets?status=available",
    "/v1/pets?categoryId=2",
    "/v1/store/orders",
    "/v1/categories",
    "/v1/keys",
  ];
  const etags: string[] = [];
  const pagePaths: string[] = [];
  for (const list of lists) {
    let address: string | undefined = `${list}${list.includes("?") ? "&" : "?"}limit=3`;
    for (let count = 0; count < 3 && address; count++) {
      const { headers } = await client.call(address);
      etags.push(headers.get("etag") ?? "");
      address = linkOf(headers.get("link"), "next");
      if (address) pagePaths.push(address);
    }
  }
  for (let id = 1; id <= 20; id++) etags.push((await client.call(`/v1/pets/${id}`)).headers.get("etag") ?? "");
  etags.push((await client.call("/v1/openapi.json")).headers.get("etag") ?? "");
  // Creates a key before the run: the first create with an idempotency key derives an encryption key, which is slow on purpose.
  const body = { name: "first", scope: "read" };
  await client.call("/v1/keys", { body, headers: { "idempotency-key": "first" } });
  return { etags, pagePaths };
}

/** Adds webhooks through the running service, because only the service can encrypt the webhooks' secrets. */
export async function addWebhooks(client: Client, receivers: readonly string[]): Promise<void> {
  for (let count = 0; count < initialCounts.webhooks; count++) {
    const { status, text } = await client.call("/v1/webhooks", { body: { url: receivers[count % receivers.length] } });
    if (status !== 201) throw new Error(`A webhook could not be created: ${text}`);
  }
}

export function secretsOf({ keys, wrongKeys }: World): string[] {
  return [...new Set([...Object.values(keys).flat(), ...wrongKeys, webhookKey])];
}
