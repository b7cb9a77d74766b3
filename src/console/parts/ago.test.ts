import { expect, test } from "bun:test";
import { formatAge, formatDuration, formatTimeOfDay } from "./ago.tsx";

test.each([
  [-5_000, "just now", "a moment"],
  [44_000, "just now", "a moment"],
  [60_000, "1 min ago", "1 min"],
  [50 * 60_000, "50 min ago", "50 min"],
  [58 * 60_000, "1 hr ago", "1 hr"],
  [20 * 3_600_000, "20 hr ago", "20 hr"],
  [24 * 3_600_000, "1 day ago", "1 day"],
  [26 * 86_400_000, "26 days ago", "26 days"],
])("an age of %d ms is formatted as %s, and the duration as %s", (elapsedMs, age, duration) => {
  expect([formatAge(0, elapsedMs), formatDuration(0, elapsedMs)]).toEqual([age, duration]);
});

test("the time of day has two digits for the hour and the minute", () => {
  expect(formatTimeOfDay(new Date(2026, 10, 16, 9, 5).getTime())).toBe("09:05");
  expect(formatTimeOfDay(new Date(2026, 10, 16, 23, 59).getTime())).toBe("23:59");
});
