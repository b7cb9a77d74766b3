import { expect, test } from "bun:test";
import { MachineTime, takenOf } from "./machine-time.ts";

const machine = (processors: number) => {
  const state = { at: 1_000, taken: Array.from({ length: processors }, () => 500) };
  const time = new MachineTime(
    () => [...state.taken],
    () => state.at,
  );
  const pass = (milliseconds: number, ...taken: number[]) => {
    state.at += milliseconds;
    for (const [index, each] of taken.entries()) state.taken[index] = (state.taken[index] ?? 0) + each;
  };
  return { time, pass };
};

test("what the host took of one processor does not count, nor what it took of all of them at once", () => {
  const { time, pass } = machine(2);
  const begin = time.now();
  pass(300, 0, 0);
  expect(time.since(begin)).toBe(300);
  pass(1_000, 0, 600);
  expect(time.since(begin)).toBe(700);
  pass(1_000, 600, 600);
  expect(time.since(begin)).toBe(1_100);
  expect(time.shareTaken).toBeCloseTo(1_800 / (2 * 2_300));
});

test("what it took before does not count either", () => {
  const { time, pass } = machine(1);
  pass(1_000, 800);
  const begin = time.now();
  pass(1_000, 0);
  expect(time.since(begin)).toBe(1_000);
});

test("at least a quarter counts", () => {
  const { time, pass } = machine(1);
  const begin = time.now();
  pass(1_000, 1_000);
  expect(time.since(begin)).toBe(250);
});

test("where nobody tells, all time counts", () => {
  const { time, pass } = machine(0);
  const begin = time.now();
  pass(1_000);
  expect(time.since(begin)).toBe(1_000);
  expect(time.shareTaken).toBeUndefined();
});

test("Linux tells of each processor", () => {
  const text =
    "cpu  9 9 9 9 9 9 9 30 0 0\ncpu0 1 2 3 4 5 6 7 12 0 0\ncpu1 1 2 3 4 5 6 7 18 0 0\nintr 1 2 3 4 5 6 7 8 9\n";
  expect(takenOf(text)).toEqual([120, 180]);
});
