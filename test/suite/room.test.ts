import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { atMost, whileIdle } from "./room.ts";

test("a fixed limit allows that number of jobs", () => {
  const hasRoom = atMost(2);
  expect([0, 1, 2].map(hasRoom)).toEqual([true, true, false]);
});

test("one more job than there are cores may run; while cores are idle, further jobs may start one at a time, up to a limit", () => {
  let at = 0;
  let idle = 0;
  const hasRoom = whileIdle(
    2,
    () => ({ idle, all: 2 * at }),
    () => at,
  );
  const pass = (milliseconds: number, idleShare: number) => {
    at += milliseconds;
    idle += 2 * milliseconds * idleShare;
  };
  expect([0, 1, 2, 3].map(hasRoom)).toEqual([true, true, true, false]);
  pass(2_500, 0.05);
  expect(hasRoom(3)).toBe(false);
  pass(2_500, 0.2);
  expect(hasRoom(3)).toBe(true);
  // No further job starts yet, because a job that has just started needs time to become busy.
  pass(100, 0.5);
  expect(hasRoom(4)).toBe(false);
  pass(400, 0.7);
  expect(hasRoom(4)).toBe(true);
  pass(400, 0.3);
  expect(hasRoom(4)).toBe(false);
  pass(5_000, 1);
  expect(hasRoom(8)).toBe(false);
  pass(500, 1);
  expect(hasRoom(7)).toBe(true);
});

test("the idle time of the cores of this machine can be read", async () => {
  const cores = availableParallelism();
  const hasRoom = whileIdle(cores);
  expect(hasRoom(cores)).toBe(true);
  expect(hasRoom(cores + 1)).toBe(false);
});
