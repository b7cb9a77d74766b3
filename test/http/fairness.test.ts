import { expect, test } from "bun:test";
import { connect } from "node:net";
import { RawConnection } from "../support/raw.ts";
import { startService } from "../support/service.ts";
import { until } from "../support/wait.ts";

const [floodCount, pipelined] = [100, 500];
/** Maximum number of flood requests that may be answered first: four of each connection. */
const maxBefore = floodCount * 4;

test("requests with a key and health probes do not wait for a flood of pipelined requests", async () => {
  await using service = await startService();
  const { url, key } = service.client;
  let refused = 0;
  const countRefusedBefore = async (connection: RawConnection, request: string, status: number) => {
    const before = refused;
    expect((await connection.send(request).response())?.status).toBe(status);
    return refused - before;
  };
  using keyed = new RawConnection(url);
  const request = `GET /v1/nothing HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  await keyed.send(request).response();
  const flood = Buffer.from("GET /v1/pets HTTP/1.1\r\nHost: x\r\n\r\n".repeat(pipelined));
  const clients = Array.from({ length: floodCount }, () => connect(Number(url.port), url.hostname));
  for (const client of clients) {
    client.on("error", () => {}).setEncoding("latin1");
    client.on("data", (text: string) => {
      refused += text.split("HTTP/1.1 401 ").length - 1;
    });
    client.write(flood);
  }
  await until(() => refused > maxBefore);
  for (let round = 0; round < 5; round++) {
    keyed.clear();
    expect(await countRefusedBefore(keyed, request, 404)).toBeLessThan(maxBefore);
    using probe = new RawConnection(url);
    expect(await countRefusedBefore(probe, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n", 200)).toBeLessThan(maxBefore);
  }
  expect(refused).toBeLessThan(floodCount * pipelined);
  for (const client of clients) client.destroy();
});
