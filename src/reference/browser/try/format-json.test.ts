import { expect, test } from "bun:test";
import fc from "fast-check";
import { layoutJson } from "./layout-json.ts";

test("JSON is laid out as JSON.stringify would do it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, "\t", 8), (value, indent) => {
      expect(layoutJson(JSON.stringify(value, null, indent))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("numbers stay as they are written", () => {
  const text = '{"a":9007199254740993,"b":[-9223372036854775808,1.0,1e2,0.10],"c":"1,2:{}"}';
  expect(layoutJson(text)?.replace(/\s/g, "")).toBe(text);
  expect(layoutJson("9007199254740993\n")).toBe("9007199254740993");
});

test("what is not JSON is not laid out", () => {
  for (const text of ["", "{", "id: 1\n", '{"a":1}{"a":2}']) expect(layoutJson(text)).toBeUndefined();
});
