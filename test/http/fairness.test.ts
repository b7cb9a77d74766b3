import { expect, test } from "bun:test";
import { connect } from "node:net";
import { parseScrape } from "../support/prometheus.ts";
import { RawConnection } from "../support/raw.ts";
import { startService, type TestService } from "../support/service.ts";
import { until } from "../support/wait.ts";

const [floodCount, pipelined] = [100, 500];
/** One turn of each flooding connection. */
const maxBefore = floodCount * 4;

test("while others flood the service with pipelined requests, those with a key and health probes wait for none of them", async () => {
  await using service = await startService();
  const { url, key } = service.client;
  using keyed = new RawConnection(url);
  // A request that the store has no part in.
  const request = `GET /v1/nothing HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  await keyed.send(request).response();
  const flood = Buffer.from("GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n".repeat(pipelined));
  const clients = Array.from({ length: floodCount }, () => connect(Number(url.port), url.hostname));
  for (const client of clients)
    client
      .on("error", () => {})
      .on("data", () => {})
      .write(flood);
  await until(async () => (await refusedBy(service)) > maxBefore);
  for (let round = 0; round < 5; round++) {
    keyed.clear();
    expect(await answersBefore(service, keyed, request, 404)).toBeLessThan(maxBefore);
    using probe = new RawConnection(url);
    const probing = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    expect(await answersBefore(service, probe, probing, 200)).toBeLessThan(maxBefore);
  }
  expect(await refusedBy(service)).toBeLessThan(floodCount * pipelined);
  for (const client of clients) client.destroy();
});

/** The number of requests without a key that were refused until now. */
async function refusedBy({ metrics }: TestService): Promise<number> {
  return parseScrape(await metrics.text()).value("animal_store_refused_total", { code: "Unauthorized" }) ?? 0;
}

/** The number of requests without a key that are answered between the sending of a request and its response. */
async function answersBefore(service: TestService, connection: RawConnection, request: string, status: number) {
  const before = await refusedBy(service);
  const response = await connection.send(request).response();
  expect(response?.status).toBe(status);
  return (await refusedBy(service)) - before;
}
