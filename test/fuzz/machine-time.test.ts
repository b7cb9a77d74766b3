import { expect, test } from "bun:test";
import { MachineTime, parseStealTimes } from "./machine-time.ts";

const fakeMachine = (processors: number) => {
  const state = { at: 1_000, stolenMs: Array.from({ length: processors }, () => 500) };
  const time = new MachineTime(
    () => [...state.stolenMs],
    () => state.at,
  );
  const pass = (milliseconds: number, ...taken: number[]) => {
    state.at += milliseconds;
    for (const [index, each] of taken.entries()) state.stolenMs[index] = (state.stolenMs[index] ?? 0) + each;
  };
  return { time, pass };
};

test("time that the host steals from one processor, or from all at once, does not count", () => {
  const { time, pass } = fakeMachine(2);
  const begin = time.now();
  pass(300, 0, 0);
  expect(time.since(begin)).toBe(300);
  pass(1_000, 0, 600);
  expect(time.since(begin)).toBe(700);
  pass(1_000, 600, 600);
  expect(time.since(begin)).toBe(1_100);
  expect(time.stolenShare).toBeCloseTo(1_800 / (2 * 2_300));
});

test("time that the host stole earlier is not subtracted", () => {
  const { time, pass } = fakeMachine(1);
  pass(1_000, 800);
  const begin = time.now();
  pass(1_000, 0);
  expect(time.since(begin)).toBe(1_000);
});

test("at least a quarter of the time counts, even if the host stole more", () => {
  const { time, pass } = fakeMachine(1);
  const begin = time.now();
  pass(1_000, 1_000);
  expect(time.since(begin)).toBe(250);
});

test("all time counts if the system does not report steal time", () => {
  const { time, pass } = fakeMachine(0);
  const begin = time.now();
  pass(1_000);
  expect(time.since(begin)).toBe(1_000);
  expect(time.stolenShare).toBeUndefined();
});

test("the steal time of each processor is parsed from /proc/stat", () => {
  const text =
    "cpu  9 9 9 9 9 9 9 30 0 0\ncpu0 1 2 3 4 5 6 7 12 0 0\ncpu1 1 2 3 4 5 6 7 18 0 0\nintr 1 2 3 4 5 6 7 8 9\n";
  expect(parseStealTimes(text)).toEqual([120, 180]);
});
