import { expect, test } from "bun:test";
import { retryDelayMs } from "./retries.ts";

const hourMs = 3_600_000;
const delays = [5_000, 300_000, 1_800_000, 2 * hourMs, 5 * hourMs, 10 * hourMs, 14 * hourMs, 20 * hourMs, 24 * hourMs];

test("what has failed is tried again after longer and longer times, about", () => {
  for (const [index, delay] of [...delays, 24 * hourMs, 24 * hourMs].entries()) {
    for (let turn = 0; turn < 100; turn++) {
      expect(retryDelayMs(index + 1, 0)).toBeWithin(delay * 0.9 - 1, delay * 1.1 + 1);
    }
  }
  expect(new Set(Array.from({ length: 100 }, () => retryDelayMs(3, 0))).size).toBeGreaterThan(10);
});

test("a receiver that asks for more time gets it, up to a day, and never less than the usual", () => {
  expect(retryDelayMs(1, 60_000)).toBe(60_000);
  expect(retryDelayMs(1, 100 * hourMs)).toBe(24 * hourMs);
  expect(retryDelayMs(4, 1_000)).toBeGreaterThan(hourMs);
});
