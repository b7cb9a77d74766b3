import { expect, test } from "bun:test";
import { join } from "node:path";
import { pages } from "../../dist/pages.ts";
import { RawConnection } from "../support/raw.ts";
import { startService } from "../support/service.ts";
import { largeBodyBytes, StalledConnection, untilCompleted } from "../support/stalled.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { pauseLoad, until } from "../support/wait.ts";

const largeFileRequest = "GET /assets/large.js HTTP/1.1\r\nHost: x\r\n\r\n";
const halfHead = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ";

test("a client that requests a file and reads nothing is disconnected", async () => {
  using folder = temporaryFolder();
  await using service = await startService({ pages: await createPagesWithLargeFile(folder.path), idleSeconds: 1 });
  using stalled = new StalledConnection(service.client.url, largeFileRequest);
  await untilCompleted(service, 1);
  expect((await stalled.readRest()).length).toBeLessThan(largeBodyBytes);
});

test("many anonymous clients that read nothing never block clients with a key, and block others only briefly", async () => {
  using folder = temporaryFolder();
  const largePages = await createPagesWithLargeFile(folder.path);
  await using service = await startService({
    pages: largePages,
    maxConnections: 8,
    idleSeconds: 3_600,
    corsOrigins: ["https://a.test"],
  });
  const { client } = service;
  using stalled = new DisposableStack();
  const withoutKey = { key: null };
  for (let isCrowded = false; !isCrowded; ) {
    stalled.use(new StalledConnection(client.url, largeFileRequest));
    isCrowded = (await client.call("/robots.txt", withoutKey)).status === 503;
  }
  for (const request of [
    "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
    "GET /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n\r\n",
    "POST /v1/pets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nContent-Length: 9\r\n\r\n",
  ]) {
    using connection = new RawConnection(client.url);
    expect((await connection.send(request).response())?.headers.get("connection")).toBe("close");
  }
  const pageHeaders = { origin: "https://a.test", "access-control-request-method": "POST" };
  expect((await client.call("/v1/pets", { ...withoutKey, method: "OPTIONS", headers: pageHeaders })).status).toBe(204);
  for (let round = 0; round < 20; round++) stalled.use(new StalledConnection(client.url, largeFileRequest));
  expect((await client.call("/v1/pets", { body: { name: "Rex", categoryId: 1 } })).status).toBe(201);
  await until(async () => (await client.call("/robots.txt", withoutKey)).status === 200);
});

test("a client that never completes its first head is disconnected, whether it sends nothing, one part, or further parts", async () => {
  await using service = await startService();
  const connections = Array.from({ length: 3 }, () => new RawConnection(service.client.url));
  const [_nothing, part, more] = connections;
  part?.send(halfHead);
  const sent = more && sendSlowly(more.send(halfHead));
  for (const connection of connections) expect(await connection.untilClosed()).toBe("");
  await sent;
});

test("a client that never completes a later head is disconnected after the idle timeout, however much it sends", async () => {
  await using service = await startService({ idleSeconds: 1 });
  using connection = new RawConnection(service.client.url);
  expect((await connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").response())?.status).toBe(200);
  const sent = sendSlowly(connection.send(halfHead));
  expect((await connection.untilClosed()).match(/^HTTP/gm)).toHaveLength(1);
  await sent;
});

/** Returns the HTML pages and a file that exceeds what the kernel buffers for a client that reads nothing. */
async function createPagesWithLargeFile(folder: string) {
  const path = join(folder, "large.js");
  await Bun.write(path, "x".repeat(largeBodyBytes));
  const large = { type: "text/javascript", identity: path, gzip: path, br: path };
  return { ...pages, "/assets/large.js": large };
}

async function sendSlowly(connection: RawConnection): Promise<void> {
  let isOpen = true;
  connection.untilClosed().then(() => {
    isOpen = false;
  });
  while (isOpen) {
    connection.send("x");
    await pauseLoad();
  }
}
