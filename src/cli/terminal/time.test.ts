import { expect, test } from "bun:test";
import { parseDuration, parseExpiry } from "./time.ts";

test.each([
  ["0", 0],
  ["10s", 10_000],
  ["30m", 1_800_000],
  ["12h", 43_200_000],
  ["90d", 7_776_000_000],
])("the duration %s is parsed as %d ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(["", "5", "d", "1w", "-1d", "1.5h", "100000d", "1d "])("%p is not a duration", (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

const now = Date.UTC(2027, 0, 1);

test.each([
  ["1d", Date.UTC(2027, 0, 2)],
  ["2027-02-03", Date.UTC(2027, 1, 3)],
  ["2027-02-03T04:05:06Z", Date.UTC(2027, 1, 3, 4, 5, 6)],
])("the expiry %s is parsed", (text, at) => {
  expect(parseExpiry(text, now)).toBe(new Date(at).toISOString());
});

test.each(["0", "0d", "2026-12-31", "2027-13-01", "2027-02-31", "2027-02-03T99:00Z", "tomorrow", "1/2/2028"])(
  "%p is not an expiry",
  (text) => {
    expect(parseExpiry(text, now)).toBeUndefined();
  },
);
