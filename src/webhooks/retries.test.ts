import { expect, test } from "bun:test";
import { computeRetryDelayMs } from "./retries.ts";

const hourMs = 3_600_000;
const delays = [5_000, 300_000, 1_800_000, 2 * hourMs, 5 * hourMs, 10 * hourMs, 14 * hourMs, 20 * hourMs, 24 * hourMs];

test("the delay of a retry grows up to 24 hours, with a jitter of 10 %", () => {
  for (const [index, delay] of [...delays, 24 * hourMs, 24 * hourMs].entries()) {
    for (let sample = 0; sample < 100; sample++) {
      expect(computeRetryDelayMs(index + 1, 0)).toBeWithin(delay * 0.9 - 1, delay * 1.1 + 1);
    }
  }
  expect(new Set(Array.from({ length: 100 }, () => computeRetryDelayMs(3, 0))).size).toBeGreaterThan(10);
});

test("a receiver can request a longer delay of up to a day, but not a shorter one", () => {
  expect(computeRetryDelayMs(1, 60_000)).toBe(60_000);
  expect(computeRetryDelayMs(1, 100 * hourMs)).toBe(24 * hourMs);
  expect(computeRetryDelayMs(4, 1_000)).toBeGreaterThan(hourMs);
});
