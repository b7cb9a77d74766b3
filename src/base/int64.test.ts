import { expect, test } from "bun:test";
import fc from "fast-check";
import { isInt64, parseInt64, parseJsonInt64, toInt64 } from "./int64.ts";

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });

test("every 64-bit integer is parsed from its digits", () => {
  fc.assert(
    fc.property(int64, (value) => {
      expect(parseInt64(String(value))).toBe(toInt64(value));
      expect(parseJsonInt64(String(value))).toBe(toInt64(value));
    }),
  );
});

test("a 64-bit integer is returned as a number if that is exact, and otherwise as a bigint", () => {
  expect(toInt64(2n ** 53n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
  expect(toInt64(2n ** 53n)).toBe(2n ** 53n);
  expect(toInt64(-(2n ** 53n) + 1n)).toBe(Number.MIN_SAFE_INTEGER);
});

test("a JSON integer may have a decimal point and an exponent", () => {
  fc.assert(
    fc.property(int64, fc.integer({ min: 0, max: 25 }), (value, places) => {
      const digits = String(value < 0n ? -value : value).padStart(places + 1, "0");
      const sign = value < 0n ? "-" : "";
      const point = digits.length - places;
      const scaled = `${sign}${digits.slice(0, point)}${places > 0 ? `.${digits.slice(point)}` : ""}e+${places}`;
      expect(parseJsonInt64(scaled)).toBe(toInt64(value));
    }),
  );
});

test("a JSON number with a fraction, however small, is not an integer", () => {
  fc.assert(
    fc.property(int64, fc.integer({ min: 0, max: 40 }), (value, zeros) => {
      expect(parseJsonInt64(`${value}.${"0".repeat(zeros)}1`)).toBeUndefined();
    }),
  );
});

test("an integer beyond 64 bits is rejected", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 70n }), (excess) => {
      for (const value of [2n ** 63n - 1n + excess, -(2n ** 63n) - excess]) {
        expect(isInt64(value)).toBe(false);
        expect(parseInt64(String(value))).toBeUndefined();
        expect(parseJsonInt64(String(value))).toBeUndefined();
      }
    }),
  );
});

test.each(["", "-", "-0", "01", "+1", " 1", "1 ", "1.0", "1e1", "0x1", "١"])(
  "the text %p is not accepted as an integer in a URL",
  (text) => {
    expect(parseInt64(text)).toBeUndefined();
  },
);

test("a very long number is rejected without delay", () => {
  expect(parseJsonInt64(`1${"0".repeat(60_000)}1`)).toBeUndefined();
  expect(parseJsonInt64(`0.${"0".repeat(60_000)}1`)).toBeUndefined();
  expect(parseJsonInt64(`${"0".repeat(3)}1e99999999999999999999`)).toBeUndefined();
});
