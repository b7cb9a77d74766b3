import { beforeEach, expect, test } from "bun:test";
import { maxWaitMs, minWaitMs, PoolSize } from "./pool-size.ts";

let nowMs = 0;
let size: PoolSize;

beforeEach(() => {
  nowMs = 1_000;
  size = new PoolSize(10, () => nowMs);
});

/** Advances the stopwatch until the size is restored, and returns the time that this takes. */
function waitUntilRestored(): number {
  const begun = nowMs;
  while (!size.restoreIfDue()) nowMs += 1_000;
  return nowMs - begun;
}

test("the size of a pool halves each time the server has too few connections, down to one", () => {
  const sizes = [size.current];
  while (size.halve()) sizes.push(size.current);
  expect(sizes).toEqual([10, 5, 3, 2, 1]);
  expect(size.halve()).toBe(false);
  expect(size.current).toBe(1);
});

test("the size of a pool is restored after a while", () => {
  expect(size.restoreIfDue()).toBe(false);
  size.halve();
  nowMs += minWaitMs - 1;
  expect(size.restoreIfDue()).toBe(false);
  size.halve();
  nowMs += minWaitMs - 1;
  expect(size.restoreIfDue()).toBe(false);
  nowMs += 1;
  expect(size.restoreIfDue()).toBe(true);
  expect(size.current).toBe(10);
  expect(size.restoreIfDue()).toBe(false);
});

test("the wait before the size is restored doubles with each failure, and is short again after a long time without failure", () => {
  const waits = Array.from({ length: 9 }, () => {
    size.halve();
    size.halve();
    return waitUntilRestored();
  });
  expect(waits.slice(0, 4)).toEqual([1, 2, 4, 8].map((times) => times * minWaitMs));
  expect(waits.at(-1)).toBe(maxWaitMs);
  nowMs += maxWaitMs;
  size.halve();
  expect(waitUntilRestored()).toBe(minWaitMs);
});
