import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { allowAtMost, allowWhileIdle } from "./concurrency.ts";

test("a fixed limit allows that number of concurrent jobs", () => {
  const canStart = allowAtMost(2);
  expect([0, 1, 2].map(canStart)).toEqual([true, true, false]);
});

test("the number of jobs may exceed the cores by one, and while cores are idle, further jobs may start one at a time, up to a limit", () => {
  let at = 0;
  let idle = 0;
  const canStart = allowWhileIdle(
    2,
    () => ({ idle, all: 2 * at }),
    () => at,
  );
  const pass = (milliseconds: number, idleShare: number) => {
    at += milliseconds;
    idle += 2 * milliseconds * idleShare;
  };
  expect([0, 1, 2, 3].map(canStart)).toEqual([true, true, true, false]);
  pass(2_500, 0.05);
  expect(canStart(3)).toBe(false);
  pass(2_500, 0.2);
  expect(canStart(3)).toBe(true);
  // No further job starts yet, because a job that has just started needs time to become busy.
  pass(100, 0.5);
  expect(canStart(4)).toBe(false);
  pass(400, 0.7);
  expect(canStart(4)).toBe(true);
  pass(400, 0.3);
  expect(canStart(4)).toBe(false);
  pass(5_000, 1);
  expect(canStart(8)).toBe(false);
  pass(500, 1);
  expect(canStart(7)).toBe(true);
});

test("the idle time of the cores of this machine can be read", async () => {
  const cores = availableParallelism();
  const canStart = allowWhileIdle(cores);
  expect(canStart(cores)).toBe(true);
  expect(canStart(cores + 1)).toBe(false);
});
