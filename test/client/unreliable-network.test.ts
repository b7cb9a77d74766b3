import { expect, test } from "bun:test";
import { AnimalStore } from "../../packages/client/src/index.ts";
import { startService } from "../support/service.ts";
import { type Fault, UnreliableProxy } from "../support/unreliable-proxy.ts";

/** Number of animals; a run of 10,000 takes minutes. */
const creates = Number(process.env["CLIENT_CREATES"] ?? 250);
const atOnce = 50;

const faults: readonly Fault[] = [
  "refuse",
  "lose",
  "cut",
  "delay",
  "double",
  "swallow",
  { status: 502, body: "<html>Bad gateway</html>" },
  { status: 503, headers: { "retry-after": "0" } },
];

test("on a network that drops, delays, duplicates and resets requests, each animal is added exactly once", async () => {
  await using service = await startService();
  const befallen = new Map<Fault, number>();
  await using proxy = await UnreliableProxy.to(service.client.url, () => {
    // Every other request and its response arrive.
    const fault = faults[Math.floor(Math.random() * faults.length * 2)] ?? "pass";
    befallen.set(fault, (befallen.get(fault) ?? 0) + 1);
    return fault;
  });
  const store = new AnimalStore({
    baseUrl: proxy.url,
    apiKey: service.client.key,
    timeoutMs: 2_000,
    maxRetries: Number.POSITIVE_INFINITY,
    deadlineMs: Number.POSITIVE_INFINITY,
  });
  const added = new Map<string, number>();
  let next = 0;
  const add = async () => {
    while (next < creates) {
      const name = `animal ${next++}`;
      added.set(name, (await store.pets.create({ name, categoryId: 7 })).id);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, add));
  const direct = new AnimalStore({ baseUrl: service.client.url, apiKey: service.client.key });
  const kept = await Array.fromAsync(direct.pets.list({ limit: 100 }));
  expect(kept).toHaveLength(creates);
  expect(new Map(kept.map(({ name, id }) => [name, id]))).toEqual(added);
  if (creates >= 250) expect(befallen.size).toBe(faults.length + 1);
  console.log(`${creates} animals were added by ${proxy.seen.length} requests.`);
});
