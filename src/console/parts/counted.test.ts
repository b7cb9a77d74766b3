import { expect, test } from "bun:test";
import { counted, grouped } from "./counted.ts";

test.each([
  [0, "0 animals"],
  [1, "1 animal"],
  [2, "2 animals"],
])("%d is %s", (count, text) => {
  expect(counted(count, "animal")).toBe(text);
});

test.each([
  [0, "0"],
  [999, "999"],
  [1_000, "1,000"],
  [1_234_567, "1,234,567"],
  [-12_345, "-12,345"],
])("%d is written %s", (count, text) => {
  expect(grouped(count)).toBe(text);
});

test("a plural may be another word", () => {
  expect(counted(1, "line is", "lines are")).toBe("1 line is");
  expect(counted(3, "line is", "lines are")).toBe("3 lines are");
});
