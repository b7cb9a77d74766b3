import { expect, test } from "bun:test";
import fc from "fast-check";
import { csvSeparators, formatCsvRecord } from "../../../base/csv.ts";
import { decodeText, parseRows } from "./csv-file.ts";

const encode = (text: string) => new TextEncoder().encode(text);

test("CSV fields with any separator and any line ending are read unchanged", () => {
  const field = fc.string({ unit: fc.constantFrom("a", ",", ";", "\t", '"', "\n", "\r\n", "é", "🐶", "'", "=") });
  const records = fc.array(fc.tuple(fc.constant("x"), field, field), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(records, fc.constantFrom(...csvSeparators), fc.constantFrom("\r\n", "\n", "\r"), (given, by, end) => {
      const quote = (text: string) => formatCsvRecord([text]).slice(0, -2);
      const text = [["a", "b", "c"], ...given].map((fields) => fields.map(quote).join(by)).join(end);
      expect(parseRows(text).map(({ fields }) => fields)).toEqual([["a", "b", "c"], ...given]);
    }),
    { numRuns: 300 },
  );
});

test("each CSV row is given the number of its first line, and empty rows are skipped", () => {
  const rows = parseRows('name;category\r\n"a\r\nb";1\r\n;\r\n\r\nc;2\r\n');
  expect(rows).toEqual([
    { line: 1, fields: ["name", "category"] },
    { line: 2, fields: ["a\r\nb", "1"] },
    { line: 6, fields: ["c", "2"] },
  ]);
});

test("an unclosed quote in a CSV file makes only the line with the quote malformed", () => {
  expect(parseRows('name,category\na,"1\nb,2\n"c""",3')).toEqual([
    { line: 1, fields: ["name", "category"] },
    { line: 2, fields: ['a,"1'], problem: "A quote is opened and not closed." },
    { line: 3, fields: ["b", "2"] },
    { line: 4, fields: ['c"', "3"] },
  ]);
});

test("tabs separate fields if the first row contains a tab, and quotes inside tab-separated fields are read literally", () => {
  const parseFields = (text: string) => parseRows(text).map(({ fields }) => fields);
  expect(parseFields('Rex, the "Great", of Rome\t1\n"Mia" the cat\t2\n"a\nb"\t3')).toEqual([
    ['Rex, the "Great", of Rome', "1"],
    ['"Mia" the cat', "2"],
    ["a\nb", "3"],
  ]);
  expect(parseFields('"Mia" the cat\t2')).toEqual([['"Mia" the cat', "2"]]);
  expect(parseFields("Rex, of Rome, the dog\t1")).toEqual([["Rex, of Rome, the dog", "1"]]);
  expect(parseFields('"a\tb",c\n"d\te",f')).toEqual([
    ["a\tb", "c"],
    ["d\te", "f"],
  ]);
});

test("the first line of a CSV file can declare the separator", () => {
  expect(parseRows("sep=|\r\na|b,c\r\n")).toEqual([{ line: 2, fields: ["a", "b,c"] }]);
});

test("CSV files with many quotes are read in linear time", () => {
  for (const line of ["a,b\n", '"",1\n', '"a\n', 'a,"b""\n', '"""\n']) {
    expect(parseRows(`"${line.repeat(200_000)}`).length).toBeGreaterThanOrEqual(100_000);
  }
});
test("text is decoded from UTF-8 with or without a byte order mark, and from UTF-16 with one", () => {
  expect(decodeText(encode("\ufeffMia 🐈"))).toBe("Mia 🐈");
  expect(decodeText(new Uint8Array(Buffer.from("\ufeffMia 🐈", "utf16le")))).toBe("Mia 🐈");
});

test("files that are empty or not in UTF-8 or UTF-16 are rejected with advice", () => {
  expect(() => decodeText(new Uint8Array())).toThrow("This file is empty.");
  expect(() => decodeText(new Uint8Array(Buffer.from("Zoë", "latin1")))).toThrow("save it as CSV UTF-8");
  expect(() => decodeText(encode("PK\u0003\u0004\0\0"))).toThrow("This file is not text.");
});
