import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { deepest, excessIn, maxValues, parseJson, toJson } from "./json.ts";

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
    expect(excessIn(nested(deepest))).toBeUndefined();
    expect(excessIn(nested(deepest + 1))).toBe("depth");
    expect(excessIn(`{"a":${nested(deepest - 1)}}`)).toBeUndefined();
    expect(excessIn(`{"a":${nested(deepest)}}`)).toBe("depth");
  });

  test("is not how many there are side by side", () => {
    expect(excessIn(`[${Array.from({ length: 1000 }, () => "[]").join(",")}]`)).toBeUndefined();
  });

  test("does not count what stands in strings, whatever is escaped there", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("[", "{", ",", '"', "\\", "a"), { maxLength: 200 }), (characters) => {
        expect(excessIn(JSON.stringify([characters.join("")]))).toBeUndefined();
      }),
    );
  });
});

describe("what a text holds in all", () => {
  const holding = (values: number) => `[${Array.from({ length: values }, () => "1").join(",")}]`;

  test("is allowed up to the limit", () => {
    expect(excessIn(holding(maxValues))).toBeUndefined();
    expect(excessIn(holding(maxValues + 1))).toBe("values");
  });

  test("counts what is nested as well", () => {
    const levels = deepest - 2;
    const nested = "[".repeat(levels) + "]".repeat(levels);
    const holdingNested = (count: number) => `[${Array.from({ length: count }, () => nested).join(",")}]`;
    expect(excessIn(holdingNested(Math.floor(maxValues / (levels + 1))))).toBeUndefined();
    expect(excessIn(holdingNested(maxValues / levels))).toBe("values");
  });

  test("does not count what stands in strings", () => {
    expect(excessIn(JSON.stringify([",".repeat(maxValues + 1)]))).toBeUndefined();
  });
});
