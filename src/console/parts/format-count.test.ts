import { expect, test } from "bun:test";
import { formatCount, pluralize } from "./format-count.ts";

test.each([
  [0, "0 animals"],
  [1, "1 animal"],
  [2, "2 animals"],
])("pluralize formats the count %d as %s", (count, text) => {
  expect(pluralize(count, "animal")).toBe(text);
});

test("pluralize accepts an irregular plural", () => {
  expect([1, 3].map((count) => pluralize(count, "line is", "lines are"))).toEqual(["1 line is", "3 lines are"]);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [1_234_567, "1,234,567"],
  [-12_345, "-12,345"],
])("formatCount formats %d as %s", (count, text) => {
  expect(formatCount(count)).toBe(text);
});
