import { expect, test } from "bun:test";
import { sortByDescendingDuration } from "./order.ts";

test("jobs run in descending order of their last durations; the duration of a new job is estimated from the length of its source", () => {
  const jobs = ["a", "b", "c", "new"].map((name) => ({ name, source: "expect(1).toBe(1);".repeat(100) }));
  const sorted = sortByDescendingDuration(jobs, { a: 20, b: 3000, c: 100 });
  expect(sorted.map(({ name }) => name)).toEqual(["b", "new", "c", "a"]);
});
