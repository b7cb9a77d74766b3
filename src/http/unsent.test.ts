import { expect, test } from "bun:test";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { until } from "../../test/support/wait.ts";
import { unsentBytes } from "./unsent.ts";

test.skipIf(process.platform !== "linux").each([
  ["IPv4", "127.0.0.1", "127.0.0.1"],
  ["IPv6", "::1", "::1"],
  ["IPv4, on a socket for both", "::", "127.0.0.1"],
])("what the other end of a connection has not taken is known: %s", async (_, listened, connected) => {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer((socket) => accepted.resolve(socket.on("error", () => {}))).listen(0, listened);
  await new Promise((resolve) => server.on("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const reader = connect(port, connected).pause();
  const sender = await accepted.promise;
  const unsent = () => unsentBytes(port, { address: sender.remoteAddress ?? "", port: sender.remotePort ?? 0 });
  await until(() => unsent() === 0);
  sender.write(Buffer.alloc(20_000_000));
  await until(() => (unsent() ?? 0) > 0);
  reader.resume();
  await until(() => unsent() === 0);
  expect(unsentBytes(port, { address: "192.0.2.1", port: sender.remotePort ?? 0 })).toBeUndefined();
  reader.destroy();
  server.close();
});
