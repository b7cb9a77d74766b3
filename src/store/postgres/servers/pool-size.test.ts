import { beforeEach, expect, test } from "bun:test";
import { maxWaitMs, minWaitMs, PoolSize } from "./pool-size.ts";

let passed = 0;
let size: PoolSize;

beforeEach(() => {
  passed = 1_000;
  size = new PoolSize(10, () => passed);
});

/** How long it takes for the size to be full again. */
function waitUntilRestored(): number {
  const begun = passed;
  while (!size.restoreIfDue()) passed += 1_000;
  return passed - begun;
}

test("a pool has half as many connections each time that the server has too few, and at least one", () => {
  const sizes = [size.current];
  while (size.halve()) sizes.push(size.current);
  expect(sizes).toEqual([10, 5, 3, 2, 1]);
  expect(size.halve()).toBe(false);
  expect(size.current).toBe(1);
});

test("it has all of them again when the server has had enough for a while", () => {
  expect(size.restoreIfDue()).toBe(false);
  size.halve();
  passed += minWaitMs - 1;
  expect(size.restoreIfDue()).toBe(false);
  size.halve();
  passed += minWaitMs - 1;
  expect(size.restoreIfDue()).toBe(false);
  passed += 1;
  expect(size.restoreIfDue()).toBe(true);
  expect(size.current).toBe(10);
  expect(size.restoreIfDue()).toBe(false);
});

test("a server that still has too few is tried less and less often, and as often as before when it had enough for long", () => {
  const waits = Array.from({ length: 9 }, () => {
    size.halve();
    size.halve();
    return waitUntilRestored();
  });
  expect(waits.slice(0, 4)).toEqual([1, 2, 4, 8].map((times) => times * minWaitMs));
  expect(waits.at(-1)).toBe(maxWaitMs);
  passed += maxWaitMs;
  size.halve();
  expect(waitUntilRestored()).toBe(minWaitMs);
});
