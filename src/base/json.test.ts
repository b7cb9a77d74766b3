import { expect, test } from "bun:test";
import fc from "fast-check";
import { findExceededLimit, maxJsonDepth, maxJsonValues, parseJson, toJson } from "./json.ts";

test("64-bit integers survive a round trip through JSON", () => {
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  fc.assert(
    fc.property(fc.array(integer), fc.string({ unit: "binary" }), (integers, text) => {
      const json = `{"numbers":[${integers.join(",")}],"text":${JSON.stringify(text)}}`;
      expect(toJson(parseJson(json))).toBe(json.replaceAll(/(?<=[[,])-0(?=[\],])/g, "0"));
    }),
  );
});

test("JSON without large integers is parsed in the same way as by JSON.parse", () => {
  const integers = fc
    .jsonValue({ noUnicodeString: false })
    .filter((value) => !/[.e]|[0-9]{16}/i.test(JSON.stringify(value)));
  fc.assert(
    fc.property(integers, (value) => {
      expect(parseJson(JSON.stringify(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test.each(["1.5", "1e-3", "1e400", "9223372036854775808", "0.1"])(
  "the number %s, which is not a 64-bit integer, becomes NaN",
  (text) => {
    expect(parseJson(`[${text}]`)).toEqual([Number.NaN]);
  },
);

const nestArrays = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const repeatInArray = (text: string, count: number) => `[${Array.from({ length: count }, () => text).join(",")}]`;

test("arrays and objects may be nested up to the limit", () => {
  expect(findExceededLimit(nestArrays(maxJsonDepth))).toBeUndefined();
  expect(findExceededLimit(nestArrays(maxJsonDepth + 1))).toBe("depth");
  expect(findExceededLimit(`{"a":${nestArrays(maxJsonDepth - 1)}}`)).toBeUndefined();
  expect(findExceededLimit(`{"a":${nestArrays(maxJsonDepth)}}`)).toBe("depth");
});

test("arrays side by side do not add to the depth", () => {
  expect(findExceededLimit(repeatInArray("[]", 1000))).toBeUndefined();
});

test("brackets in strings do not add to the depth, even among escaped characters", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom("[", "{", ",", '"', "\\", "a"), { maxLength: 200 }), (characters) => {
      expect(findExceededLimit(JSON.stringify([characters.join("")]))).toBeUndefined();
    }),
  );
});

test("a JSON text with exactly the maximum number of values is accepted, and one value more exceeds the limit", () => {
  expect(findExceededLimit(repeatInArray("1", maxJsonValues))).toBeUndefined();
  expect(findExceededLimit(repeatInArray("1", maxJsonValues + 1))).toBe("values");
});

test("nested values also count towards the limit on values", () => {
  const levels = maxJsonDepth - 2;
  expect(
    findExceededLimit(repeatInArray(nestArrays(levels), Math.floor(maxJsonValues / (levels + 1)))),
  ).toBeUndefined();
  expect(findExceededLimit(repeatInArray(nestArrays(levels), maxJsonValues / levels))).toBe("values");
});

test("commas in strings do not count as values", () => {
  expect(findExceededLimit(JSON.stringify([",".repeat(maxJsonValues + 1)]))).toBeUndefined();
});
