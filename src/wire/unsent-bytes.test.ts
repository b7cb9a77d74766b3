import { expect, test } from "bun:test";
import { connect } from "node:net";
import { until } from "../../test/support/wait.ts";
import { readUnsentBytes } from "./unsent-bytes.ts";

test.skipIf(process.platform !== "linux")("Linux reports the bytes that the client has not acknowledged", async () => {
  const accepted = Promise.withResolvers<Bun.Socket<unknown>>();
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { open: (socket) => accepted.resolve(socket), data() {} },
  });
  const reader = connect(server.port, "127.0.0.1").pause();
  const sender = await accepted.promise;
  expect(readUnsentBytes(sender)).toBe(0);
  const bytes = sender.write(Buffer.alloc(20_000_000));
  await until(() => readUnsentBytes(sender) > 0);
  expect(readUnsentBytes(sender)).toBeLessThan(bytes);
  reader.resume();
  await until(() => readUnsentBytes(sender) === 0);
  sender.terminate();
  expect(readUnsentBytes(sender)).toBe(0);
  reader.destroy();
  server.stop(true);
});
