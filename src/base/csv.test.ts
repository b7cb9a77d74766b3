import { expect, test } from "bun:test";
import { formatCsvRecord, parseCsvRecord } from "./csv.ts";

test.each([
  ["=1+1", "'=1+1"],
  ["+49", "'+49"],
  ["-Rex-", "'-Rex-"],
  ["@home", "'@home"],
  ["＝1", "'＝1"],
  ["'=1", "''=1"],
  ["'Rex", "'Rex"],
  ["Rex = Max", "Rex = Max"],
  ['=HYPERLINK("http://a.test";"Rex")', `"'=HYPERLINK(""http://a.test"";""Rex"")"`],
])(
  "the text %s is written as %s, which no spreadsheet runs as a formula, and is read back unchanged",
  (name, written) => {
    expect(formatCsvRecord([name])).toBe(`${written}\r\n`);
    expect(parseCsvRecord(written)).toEqual([name]);
  },
);

test("a negative number is not written as a formula", () => {
  expect(formatCsvRecord([-7, -9223372036854775808n])).toBe("-7,-9223372036854775808\r\n");
});

test("a formula that another program has written is read unchanged", () => {
  expect(parseCsvRecord("=1,+2")).toEqual(["=1", "+2"]);
});

test("semicolons and tabs can separate fields", () => {
  expect(parseCsvRecord('a;"b;c";d,e', ";")).toEqual(["a", "b;c", "d,e"]);
  expect(parseCsvRecord('a\t"b"\t', "\t")).toEqual(["a", "b", ""]);
  expect(parseCsvRecord('"a"b;c', ";")).toBe("A quote that is closed must be followed by a semicolon.");
});
