import { expect, test } from "bun:test";
import type { HttpResponse } from "../response/http-response.ts";
import { SharedReads } from "./shared-reads.ts";

const open = (fail = () => false) => {
  const shared = new SharedReads();
  let reads = 0;
  const read = async (): Promise<HttpResponse> => {
    reads++;
    if (fail()) throw new Error("The store is not responding.");
    return { status: 200, headers: {}, body: `read ${reads}` };
  };
  const ask = async (target = "/v1/pets", time = { storeAt: 0, storeMs: 0 }) => {
    const timed = () => {
      Object.assign(time, { storeAt: 5, storeMs: 7 });
      return read();
    };
    return (await shared.read(target, time, timed)).body;
  };
  return { ask, reads: () => reads };
};

test("requests for the same page in one tick share a read", async () => {
  const { ask, reads } = open();
  const responses = await Promise.all([ask(), ask("/v1/pets?limit=1"), ask(), ask()]);
  expect(responses).toEqual(["read 1", "read 2", "read 1", "read 1"]);
  expect(reads()).toBe(2);
});

test("a shared read reports its time to all of its requests, even if it fails", async () => {
  for (const fails of [false, true]) {
    const { ask, reads } = open(() => fails);
    const times = Array.from({ length: 3 }, () => ({ storeAt: 0, storeMs: 0 }));
    await Promise.allSettled(times.map((time) => ask("/v1/pets", time)));
    expect(reads()).toBe(1);
    expect(times).toEqual(Array.from({ length: 3 }, () => ({ storeAt: 5, storeMs: 7 })));
  }
});

test("a request that arrives after a read was sent starts another, although the first is still in flight", async () => {
  const { ask, reads } = open();
  const first = ask();
  while (reads() === 0) await new Promise(setImmediate);
  const second = ask();
  expect(await Promise.all([first, second])).toEqual(["read 1", "read 2"]);
});

test("a shared read fails for all of its requests, but not for later ones", async () => {
  let fails = true;
  const { ask } = open(() => fails);
  const outcomes = await Promise.allSettled([ask(), ask()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  fails = false;
  expect(await ask()).toBe("read 2");
});
