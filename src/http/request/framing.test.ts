import { expect, test } from "bun:test";
import { framingFault } from "./framing.ts";

test("hosts that clients make up are not remembered for ever", () => {
  const [hosts, bytesEach] = [50_000, 2_000];
  const heapBytes = () => {
    Bun.gc(true);
    return process.memoryUsage().heapUsed;
  };
  const before = heapBytes();
  for (let count = 0; count < hosts; count++) {
    const host = `${count}.`.padEnd(bytesEach, "x");
    expect(framingFault(new Request("http://shop.test/", { headers: { host } }))).toBeUndefined();
  }
  expect(heapBytes() - before).toBeLessThan((hosts * bytesEach) / 4);
});
