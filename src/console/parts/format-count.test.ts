import { expect, test } from "bun:test";
import { formatCount, pluralize } from "./format-count.ts";

test.each([
  [0, "0 animals"],
  [1, "1 animal"],
  [2, "2 animals"],
])("%d is %s", (count, text) => {
  expect(pluralize(count, "animal")).toBe(text);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [1_234_567, "1,234,567"],
  [-12_345, "-12,345"],
])("%d is written %s", (count, text) => {
  expect(formatCount(count)).toBe(text);
});

test("a plural may be another word", () => {
  expect(pluralize(1, "line is", "lines are")).toBe("1 line is");
  expect(pluralize(3, "line is", "lines are")).toBe("3 lines are");
});
