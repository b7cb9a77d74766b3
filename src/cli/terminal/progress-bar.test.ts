import { expect, test } from "bun:test";
import { barOf } from "./progress-bar.ts";

test.each([
  [0, 10_000, "Copying [                              ] 0 %, 0 of 10,000"],
  [5_000, 10_000, "Copying [###############               ] 50 %, 5,000 of 10,000"],
  [10_000, 10_000, "Copying [##############################] 100 %, 10,000 of 10,000"],
  [0, 0, "Copying [##############################] 100 %, 0 of 0"],
])("%d of %d is drawn to scale", (done, total, bar) => {
  expect(barOf("Copying", done, total)).toBe(bar);
});
