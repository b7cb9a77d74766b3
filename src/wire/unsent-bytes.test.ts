import { expect, test } from "bun:test";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { growsTooFast } from "../../test/support/growth.ts";
import { until } from "../../test/support/wait.ts";
import { findUnsentBytes, maxCacheMs, parseTcpTable, readUnsentBytes } from "./unsent-bytes.ts";
import { defaultConnectionLimits } from "./wire-server.ts";

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1 1 0 100 0 0 10 0
   1: 0100007F:C350 0100007F:1F90 01 00000011:00000000 00:00000000 00000000     0        0 2 1 0 20 4 30 10 -1
   2: 0100007F:1F90 0100007F:C351 01 00000012:00000000 01:00000000 00000000     0        0 3 1 0 20 4 30 10 -1
   3: 0100007F:1F90 0100007F:C350 01 003B9ACA:00000013 01:00000000 00000000     0        0 4 1 0 20 4 30 10 -1
   4: 0100007F:1F91 0100007F:C350 01 00000014:00000000 01:00000000 00000000     0        0 5 1 0 20 4 30 10 -1
  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt
   0: 00000000000000000000000001000000:1F90 00000000000000000000000001000000:C350 01 00000015:00000000 01:00000000 00000000
   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF0000010200C0:C350 08 00000016:00000000 01:00000000 00000000
   2: B80D0120000000000000000001000000:1F90 B80D01200000000000000000EFBEADDE:C350 01 00000017:00000000 01:00000000 00000000
`;

test.each([
  ["IPv4", "127.0.0.1", 0x3b9aca],
  ["IPv6", "::1", 0x15],
  ["IPv6, zeros in its middle", "2001:db8::dead:beef", 0x17],
  ["IPv6, with a zone", "::1%lo", 0x15],
  ["IPv4, on a dual-stack socket", "192.0.2.1", 0x16],
  ["IPv4 mapped to IPv6, on a dual-stack socket", "::ffff:192.0.2.1", 0x16],
  ["an unknown address", "192.0.2.2", undefined],
])("the unsent bytes of a connection are looked up in Linux's TCP table: %s", (_, address, bytes) => {
  expect(findUnsentBytes(parseTcpTable(table), 8080, { address, port: 50_000 })).toBe(bytes as number);
});

test("the TCP table is read at least twice before a stalled client is disconnected", () => {
  expect(maxCacheMs).toBeLessThan(defaultConnectionLimits.stalledMs / 2);
});

test("parsing the TCP table skips closed connections", () => {
  const [ends, state] = ["0100007F:1F90 0100007F:C350", "06 00000000:00000000"];
  expect(parseTcpTable(`   0: ${ends} ${state} 03:00001770 00000000     0        0 0 3 0\n`).size).toBe(0);
});

test("finding the unsent bytes of many connections takes one pass through the TCP table", () => {
  const peer = (index: number) => ({ address: `10.0.${index >> 8}.${index & 255}`, port: 50_000 });
  const findAll = (count: number) => {
    const table = Array.from({ length: count }, (_, index) => {
      const bytes = [0, index >> 8, index & 255].map((byte) => byte.toString(16).padStart(2, "0")).reverse();
      const ends = `0100007F:1F90 ${bytes.join("").toUpperCase()}0A:C350`;
      return `${String(index).padStart(4)}: ${ends} 01 00000011:00000000 01:00000000 00000000     0        0 3 1 0\n`;
    }).join("");
    return () => {
      const read = parseTcpTable(table);
      for (let index = 0; index < count; index++) expect(findUnsentBytes(read, 8080, peer(index))).toBe(0x11);
    };
  };
  expect(growsTooFast(findAll)).toBe(false);
});

test.skipIf(process.platform !== "linux")("Linux counts the bytes that the client has not acknowledged", async () => {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer((socket) => accepted.resolve(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.on("listening", resolve));
  const { port } = server.address() as AddressInfo;
  const reader = connect(port, "127.0.0.1").pause();
  const sender = await accepted.promise;
  const unsent = () => readUnsentBytes(port, { address: "127.0.0.1", port: sender.remotePort ?? 0 });
  await until(() => unsent() === 0);
  sender.write(Buffer.alloc(20_000_000));
  await until(() => (unsent() ?? 0) > 0);
  reader.resume();
  await until(() => unsent() === 0);
  reader.destroy();
  server.close();
});
