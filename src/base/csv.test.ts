import { describe, expect, test } from "bun:test";
import { formatCsvRecord, parseCsvRecord } from "./csv.ts";

describe("what a spreadsheet would take for a formula", () => {
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
  ])("%s is written as %s, and read as it was", (name, written) => {
    expect(formatCsvRecord([name])).toBe(`${written}\r\n`);
    expect(parseCsvRecord(written)).toEqual([name]);
  });

  test("numbers are none, to the last digit", () => {
    expect(formatCsvRecord([-7, -9223372036854775808n])).toBe("-7,-9223372036854775808\r\n");
  });

  test("what others have written is read as it is", () => {
    expect(parseCsvRecord("=1,+2")).toEqual(["=1", "+2"]);
  });
});

test("semicolons and tabs can be between fields", () => {
  expect(parseCsvRecord('a;"b;c";d,e', ";")).toEqual(["a", "b;c", "d,e"]);
  expect(parseCsvRecord('a\t"b"\t', "\t")).toEqual(["a", "b", ""]);
  expect(parseCsvRecord('"a"b;c', ";")).toBe("A quote that is closed must be followed by a semicolon.");
});
