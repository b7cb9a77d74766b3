import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { deepest, isTooDeep, parseJson, toJson } from "./json.ts";

describe("JSON", () => {
  test("with 64-bit integers comes back as it was", () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(fc.array(integer), fc.string({ unit: "binary" }), (integers, text) => {
        const json = `{"numbers":[${integers.join(",")}],"text":${JSON.stringify(text)}}`;
        expect(toJson(parseJson(json))).toBe(json.replaceAll(/(?<=[[,])-0(?=[\],])/g, "0"));
      }),
    );
  });

  test("without large integers is what the language makes of it", () => {
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
    "the number %s, which is no int64, becomes NaN",
    (text) => {
      expect(parseJson(`[${text}]`)).toEqual([Number.NaN]);
    },
  );
});

describe("depth", () => {
  const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

  test("is allowed up to the limit", () => {
    expect(isTooDeep(nested(deepest))).toBe(false);
    expect(isTooDeep(nested(deepest + 1))).toBe(true);
    expect(isTooDeep(`{"a":${nested(deepest - 1)}}`)).toBe(false);
    expect(isTooDeep(`{"a":${nested(deepest)}}`)).toBe(true);
  });

  test("is not how many there are side by side", () => {
    expect(isTooDeep(`[${Array.from({ length: 1000 }, () => "[]").join(",")}]`)).toBe(false);
  });

  test("does not count what stands in strings, whatever is escaped there", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("[", "{", '"', "\\", "a"), { maxLength: 200 }), (characters) => {
        expect(isTooDeep(JSON.stringify([characters.join("")]))).toBe(false);
      }),
    );
  });
});
