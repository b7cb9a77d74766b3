import { expect, test } from "bun:test";
import fc from "fast-check";
import { formatJson } from "./format-json.ts";

test("JSON is formatted as JSON.stringify would format its value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t", 8), (value, indent) => {
      expect(formatJson(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("the numbers in formatted JSON keep their source text", () => {
  const text = '{"a":9007199254740993,"b":[-9223372036854775808,1.0,1e2,0.10],"c":"1,2:{}"}';
  expect(formatJson(text)?.replace(/\s/g, "")).toBe(text);
  expect(formatJson("9007199254740993\n")).toBe("9007199254740993");
});

test("a text that is not JSON is not formatted", () => {
  for (const text of ["", "{", "id: 1\n", '{"a":1}{"a":2}']) expect(formatJson(text)).toBeUndefined();
});
