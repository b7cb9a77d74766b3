import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { pages } from "../../dist/pages.ts";
import { RawConnection } from "../support/raw.ts";
import { startService } from "../support/service.ts";
import { muchBytes, StalledConnection, untilOver } from "../support/stalled.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { pauseOfLoad } from "../support/wait.ts";

const halfHead = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ";

test("a client that asks for a file and reads nothing is cut off", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "large.js");
  await Bun.write(path, "x".repeat(muchBytes));
  const large = { type: "text/javascript", identity: path, gzip: path, br: path };
  await using service = await startService({ pages: { ...pages, "/assets/large.js": large }, idleSeconds: 1 });
  using stalled = new StalledConnection(service.client.url, "GET /assets/large.js HTTP/1.1\r\nHost: x\r\n\r\n");
  await untilOver(service, 1);
  expect((await stalled.rest()).length).toBeLessThan(muchBytes);
});

describe("a client that does not come to the end of its headers", () => {
  test("is cut off in its first request, whether it sends nothing, a part, or more and more", async () => {
    await using service = await startService();
    const connections = Array.from({ length: 3 }, () => new RawConnection(service.client.url));
    const [_nothing, part, more] = connections;
    part?.send(halfHead);
    const sent = more && sendSlowly(more.send(halfHead));
    for (const connection of connections) expect(await connection.untilClosed()).toBe("");
    await sent;
  });

  test("is cut off in a further request as an idle connection is, however much it sends", async () => {
    await using service = await startService({ idleSeconds: 1 });
    using connection = new RawConnection(service.client.url);
    expect((await connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").response())?.status).toBe(200);
    const sent = sendSlowly(connection.send(halfHead));
    expect((await connection.untilClosed()).match(/^HTTP/gm)).toHaveLength(1);
    await sent;
  });
});

/** Sends one byte after the other, until the connection is closed. */
async function sendSlowly(connection: RawConnection): Promise<void> {
  let isOpen = true;
  connection.untilClosed().then(() => {
    isOpen = false;
  });
  while (isOpen) {
    connection.send("x");
    await pauseOfLoad();
  }
}
