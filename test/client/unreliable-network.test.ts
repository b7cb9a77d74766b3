import { expect, test } from "bun:test";
import { AnimalStore } from "../../packages/client/src/index.ts";
import { startService } from "../support/service.ts";
import { type Fault, UnreliableProxy } from "../support/unreliable-proxy.ts";

/** A run with 10,000 animals takes minutes. */
const animalCount = Number(process.env["CLIENT_CREATES"] ?? 250);
const concurrency = 50;

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
  const faultCounts = new Map<Fault, number>();
  await using proxy = await UnreliableProxy.to(service.client.url, () => {
    // On average, every other request passes without a fault.
    const fault = faults[Math.floor(Math.random() * faults.length * 2)] ?? "pass";
    faultCounts.set(fault, (faultCounts.get(fault) ?? 0) + 1);
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
    while (next < animalCount) {
      const name = `animal ${next++}`;
      added.set(name, (await store.pets.create({ name, categoryId: 7 })).id);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, add));
  const direct = new AnimalStore({ baseUrl: service.client.url, apiKey: service.client.key });
  const stored = await Array.fromAsync(direct.pets.list({ limit: 100 }));
  expect(stored).toHaveLength(animalCount);
  expect(new Map(stored.map(({ name, id }) => [name, id]))).toEqual(added);
  if (animalCount >= 250) expect(faultCounts.size).toBe(faults.length + 1);
  console.log(`${animalCount} animals were added by ${proxy.seen.length} requests.`);
});
