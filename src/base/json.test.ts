import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findExcess, maxJsonDepth, maxJsonValues, parseJson, toJson } from "./json.ts";

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
    expect(findExcess(nested(maxJsonDepth))).toBeUndefined();
    expect(findExcess(nested(maxJsonDepth + 1))).toBe("depth");
    expect(findExcess(`{"a":${nested(maxJsonDepth - 1)}}`)).toBeUndefined();
    expect(findExcess(`{"a":${nested(maxJsonDepth)}}`)).toBe("depth");
  });

  test("is not how many there are side by side", () => {
    expect(findExcess(`[${Array.from({ length: 1000 }, () => "[]").join(",")}]`)).toBeUndefined();
  });

  test("does not count what stands in strings, whatever is escaped there", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("[", "{", ",", '"', "\\", "a"), { maxLength: 200 }), (characters) => {
        expect(findExcess(JSON.stringify([characters.join("")]))).toBeUndefined();
      }),
    );
  });
});

describe("what a text holds in all", () => {
  const holding = (values: number) => `[${Array.from({ length: values }, () => "1").join(",")}]`;

  test("is allowed up to the limit", () => {
    expect(findExcess(holding(maxJsonValues))).toBeUndefined();
    expect(findExcess(holding(maxJsonValues + 1))).toBe("values");
  });

  test("counts what is nested as well", () => {
    const levels = maxJsonDepth - 2;
    const nested = "[".repeat(levels) + "]".repeat(levels);
    const holdingNested = (count: number) => `[${Array.from({ length: count }, () => nested).join(",")}]`;
    expect(findExcess(holdingNested(Math.floor(maxJsonValues / (levels + 1))))).toBeUndefined();
    expect(findExcess(holdingNested(maxJsonValues / levels))).toBe("values");
  });

  test("does not count what stands in strings", () => {
    expect(findExcess(JSON.stringify([",".repeat(maxJsonValues + 1)]))).toBeUndefined();
  });
});
