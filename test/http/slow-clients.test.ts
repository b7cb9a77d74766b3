import { expect, test } from "bun:test";
import { join } from "node:path";
import { pages } from "../../dist/pages.ts";
import { startService } from "../support/service.ts";
import { muchBytes, StalledConnection, untilOver } from "../support/stalled.ts";
import { temporaryFolder } from "../support/temporary.ts";

test("a client that asks for a file and reads nothing is cut off", async () => {
  using folder = temporaryFolder();
  const path = join(folder.path, "large.js");
  await Bun.write(path, "x".repeat(muchBytes));
  const large = { type: "text/javascript", identity: path, gzip: path, br: path };
  await using service = await startService({ pages: { ...pages, "/assets/large.js": large }, idleSeconds: 1 });
  using stalled = new StalledConnection(service.client.url, "GET /assets/large.js HTTP/1.1\r\nHost: x\r\n\r\n");
  await untilOver(service, 1);
  const text = await stalled.rest();
  expect(text).toStartWith("HTTP/1.1 200 ");
  expect(text.length).toBeLessThan(muchBytes);
});
