import { expect, test } from "bun:test";
import { parseJson, toJson } from "./json.ts";

test.each([
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["9007199254740993", 9007199254740993n],
  ["-9223372036854775808", -9223372036854775808n],
  ["[9223372036854775807,1]", [9223372036854775807n, 1]],
  [
    '{"a":9007199254740993,"9007199254740993":"9007199254740993"}',
    { a: 9007199254740993n, "9007199254740993": "9007199254740993" },
  ],
  ['"\\"9007199254740993"', '"9007199254740993'],
  ['"\\\\",9007199254740993', undefined],
  ['["\\\\",9007199254740993]', ["\\", 9007199254740993n]],
  ["1.2345678901234567", 1.2345678901234567],
])("the client parses the JSON %s without rounding", (text, value) => {
  if (value === undefined) expect(() => parseJson(text)).toThrow(SyntaxError);
  else expect(parseJson(text)).toEqual(value);
});

test("64-bit integers survive a round trip through the JSON of the client", () => {
  const value = { a: [1n, -9223372036854775808n], b: "int64-1:5", c: '"', d: null, e: { f: 9007199254740993n } };
  expect(toJson(value)).toBe(
    '{"a":[1,-9223372036854775808],"b":"int64-1:5","c":"\\"","d":null,"e":{"f":9007199254740993}}',
  );
  expect(parseJson(toJson(value))).toEqual({ ...value, a: [1, -9223372036854775808n] });
});
