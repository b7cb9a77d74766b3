import { expect } from "bun:test";
import { createPets } from "../../src/operations/pets/create-pets.ts";
import { testUnless } from "../support/conditional-test.ts";
import { Nginx, NginxClient, nginxSkipReason } from "../support/nginx.ts";
import { startService } from "../support/service.ts";

const unreadBodyLimits = { timeoutMs: 60_000, throttledTimeoutMs: 60_000 };

testUnless(nginxSkipReason, "nginx passes on the response even if the service does not read the body", async () => {
  await using service = await startService({ unreadBodyLimits });
  await using nginx = await Nginx.start(service.client.url);
  const client = new NginxClient(nginx.url, service.client.key);
  for (let round = 0; round < 20; round++) {
    for (const length of [1_000, 60_000, 200_000, 900_000]) {
      const body = { name: "x".repeat(length) };
      // After a reset, nginx would respond with 502 and treat the service as down.
      expect((await client.call("/v1/pets", { body, key: null })).status).toBe(401);
      expect((await client.call("/v1/pets", { method: "PUT", body })).status).toBe(405);
      if (length > 65_536) expect((await client.call("/v1/pets", { body })).status).toBe(413);
    }
  }
});

testUnless(nginxSkipReason, "nginx accepts a batch with the maximum length of the API", async () => {
  await using service = await startService();
  await using nginx = await Nginx.start(service.client.url);
  const client = new NginxClient(nginx.url, service.client.key);
  const batch = JSON.stringify({ pets: [{ name: "Rex", categoryId: 7 }] });
  const maxBytes = 1024 * (createPets.body?.kibibytes ?? 0);
  const headers = { "accept-encoding": "identity" };
  expect((await client.call("/v1/pets:batch", { body: batch.padEnd(maxBytes), headers })).status).toBe(200);
});

testUnless(
  nginxSkipReason,
  "nginx passes on the response to a rate-limited request even if the service does not read its body",
  async () => {
    await using service = await startService({ unreadBodyLimits, anonymousQuota: { requests: 5, seconds: 3_600 } });
    await using nginx = await Nginx.start(service.client.url);
    const client = new NginxClient(nginx.url, service.client.key);
    const send = () => client.call("/v1/pets", { body: { name: "x".repeat(900_000) }, key: null });
    while ((await send()).status === 401);
    for (let round = 0; round < 20; round++) expect((await send()).status).toBe(429);
  },
);
