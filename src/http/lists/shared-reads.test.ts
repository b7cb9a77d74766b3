import { expect, test } from "bun:test";
import type { HttpResponse } from "../response/http-response.ts";
import { SharedReads } from "./shared-reads.ts";

const startSharing = (fail = () => false) => {
  const shared = new SharedReads();
  let readCount = 0;
  const read = async (): Promise<HttpResponse> => {
    readCount++;
    if (fail()) throw new Error("The store is not responding.");
    return { status: 200, headers: {}, body: `read ${readCount}` };
  };
  const request = async (target = "/v1/pets", time = { storeStartedAt: 0, storeMs: 0 }) => {
    const timed = () => {
      Object.assign(time, { storeStartedAt: 5, storeMs: 7 });
      return read();
    };
    return (await shared.read(target, time, timed)).body;
  };
  return { request, countReads: () => readCount };
};

test("requests for the same page in one tick share a read", async () => {
  const { request, countReads } = startSharing();
  const responses = await Promise.all([request(), request("/v1/pets?limit=1"), request(), request()]);
  expect(responses).toEqual(["read 1", "read 2", "read 1", "read 1"]);
  expect(countReads()).toBe(2);
});

test("a shared read reports its time to all of its requests, even if it fails", async () => {
  for (const fails of [false, true]) {
    const { request, countReads } = startSharing(() => fails);
    const times = Array.from({ length: 3 }, () => ({ storeStartedAt: 0, storeMs: 0 }));
    await Promise.allSettled(times.map((time) => request("/v1/pets", time)));
    expect(countReads()).toBe(1);
    expect(times).toEqual(Array.from({ length: 3 }, () => ({ storeStartedAt: 5, storeMs: 7 })));
  }
});

test("a request that arrives after a read was sent starts another read, although the first is still in flight", async () => {
  const { request, countReads } = startSharing();
  const first = request();
  while (countReads() === 0) await new Promise(setImmediate);
  const second = request();
  expect(await Promise.all([first, second])).toEqual(["read 1", "read 2"]);
});

test("a shared read fails for all of its requests, but not for later ones", async () => {
  let fails = true;
  const { request } = startSharing(() => fails);
  const outcomes = await Promise.allSettled([request(), request()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  fails = false;
  expect(await request()).toBe("read 2");
});
