import { expect, spyOn, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { formatCsvRecord, parseCsvRecord } from "../../base/csv.ts";
import { maxRecordBytes, maxRecordLength, type RawBatch, readBatches } from "./batches.ts";
import type { Format } from "./format.ts";

async function read(data: string | Buffer, format: Format, chunkSize = 7, size = 3): Promise<RawBatch[]> {
  const bytes = Buffer.from(data as string);
  const chunks = (async function* () {
    for (let at = 0; at < bytes.length; at += chunkSize) yield bytes.subarray(at, at + chunkSize);
  })();
  return await Array.fromAsync(readBatches(chunks, format, size, { bytes: 0, line: 1, hash: createHash("sha256") }));
}

const textsOf = (batches: readonly RawBatch[]) => batches.flatMap(({ records }) => records.map(({ text }) => text));
const linesOf = (batches: readonly RawBatch[]) => batches.flatMap(({ records }) => records.map(({ line }) => line));

const field = fc.oneof(
  fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r\n", " ", "é", "🐶", "'", "=", "-") }),
  fc.string({ unit: "grapheme" }),
);

test("records that are written as CSV are read unchanged, whatever the chunk size", async () => {
  const records = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 50 }), async (given, chunkSize) => {
      const rows = [["name", "categoryId"], ...given];
      const batches = await read(rows.map(formatCsvRecord).join(""), "csv", chunkSize);
      expect(batches[0]?.end.header).toBe("name,categoryId");
      expect(textsOf(batches).map((text) => parseCsvRecord(text ?? ""))).toEqual(given);
    }),
    { numRuns: 300 },
  );
});

test("each CSV record has the number of its first line, with and without CRLF, a byte order mark and empty lines", async () => {
  for (const end of ["\n", "\r\n"]) {
    const text = ["\ufeffname,categoryId", '"a\nb",1', "", "c,2", '"d\r\n\n",3', "e,4"].join(end);
    const batches = await read(text, "csv");
    expect(batches[0]?.end.header).toBe("name,categoryId");
    expect(linesOf(batches)).toEqual([2, 5, 6, 9]);
  }
});

test("a quote that is never closed invalidates only its line", async () => {
  const text = ["name,categoryId", 'a,"1', "b,2", "c,3"].join("\n");
  const texts = textsOf(await read(text, "csv"));
  expect(texts).toEqual(['a,"1', "b,2", "c,3"]);
  expect(parseCsvRecord(texts[0] ?? "")).toBe("A quote is opened and not closed.");
  const many = `name,categoryId\nx,"1\n${"b,2\n".repeat(maxRecordLength)}`;
  expect(textsOf(await read(many, "csv", 65_536, 1000)).length).toBe(maxRecordLength + 1);
});

test("a quote that is opened in a later line of a record and never closed invalidates only the record", async () => {
  const text = ["name,categoryId", '"a', 'b","1', "c,3"].join("\n");
  const batches = await read(text, "csv");
  expect(textsOf(batches)).toEqual(['"a\nb","1', "c,3"]);
  expect(linesOf(batches)).toEqual([2, 4]);
});

test("if the first line of a CSV file is overlong, the header is empty, whatever the chunk size", async () => {
  const long = `name,categoryId\r${"Rex,7\r".repeat(maxRecordLength / 3)}`;
  for (const text of [long, `${long}\nname,categoryId\nRex,7\n`]) {
    for (const chunkSize of [65_536, 10_000_000]) {
      const batches = await read(text, "csv", chunkSize);
      expect(batches[0]?.end.header).toBe("");
    }
  }
});

test("the last record of a CSV file may contain line breaks and need not end with one", async () => {
  expect(textsOf(await read('name,categoryId\n"a\nb",1', "csv"))).toEqual(['"a\nb",1']);
});

test.each([
  ["lines without quotes, after one that is never closed", `"${"x\n".repeat(30_000)}`],
  ["lines in quotes, without commas", '"x"\n'.repeat(15_000)],
  ["one line of many fields", `"x"${",a".repeat(30_000)}\n`],
  ["lines with quotes that are closed in the next", '"a,1\n'.repeat(12_000)],
  ["fields that end in the next line", `"${'x\n","'.repeat(10_000)}`],
])("the splitter reads each byte of %s only a few times", async (_, text) => {
  const search = spyOn(Buffer.prototype, "indexOf");
  try {
    await read(`name,categoryId\n${text}`, "csv", 100_000, 1000);
    let searchedBytes = 0;
    for (const [index, [, from = 0]] of search.mock.calls.entries()) {
      const foundAt = search.mock.results[index]?.value as number;
      searchedBytes += (foundAt < 0 ? text.length : foundAt) - Number(from);
    }
    expect(search.mock.calls.length).toBeGreaterThan(10_000);
    expect(searchedBytes).toBeLessThan(10 * text.length);
  } finally {
    search.mockRestore();
  }
});

test.each([
  ['a"b,1', "A field with a quote in it must be in quotes, and the quote doubled."],
  ['"a"b,1', "A quote that is closed must be followed by a comma."],
])("the CSV record %s is invalid", (record, problem) => expect(parseCsvRecord(record)).toBe(problem));

test("NDJSON is split into the same batches, with the same digests, whatever the chunk size", async () => {
  const text = Array.from({ length: 11 }, (_, index) => `{"name":"🐶${index}"}\n`).join("\n");
  const whole = await read(text, "ndjson", 10_000);
  expect(whole.map(({ records }) => records.length)).toEqual([3, 3, 3, 2]);
  expect(linesOf(whole)).toEqual(Array.from({ length: 11 }, (_, index) => 2 * index + 1));
  for (const chunkSize of [1, 2, 5, 64]) expect(await read(text, "ndjson", chunkSize)).toEqual(whole);
  const { end } = whole.at(-1) as RawBatch;
  expect(end).toMatchObject({
    bytes: Buffer.byteLength(text),
    digest: createHash("sha256").update(text).digest("hex"),
  });
});

test("long records are split into smaller batches, which do not depend on the chunk size", async () => {
  const maxRecords = 4;
  const text = `${"x".repeat(maxRecordBytes / maxRecords)}\n`.repeat(10);
  const whole = await read(text, "ndjson", 1_000_000, 1000);
  expect(whole.map(({ records }) => records.length)).toEqual([maxRecords, maxRecords, 2]);
  expect(await read(text, "ndjson", 70_001, 1000)).toEqual(whole);
});

test("an overlong line and a line of invalid UTF-8 have no text, unlike the other lines", async () => {
  const lines = [
    Buffer.from("a\n"),
    Buffer.from(`${"x".repeat(3 * maxRecordLength)}\n`),
    Buffer.from([0xff, 0x0a]),
    Buffer.from("b"),
  ];
  for (const chunkSize of [1000, 65_536, 10_000_000]) {
    const batches = await read(Buffer.concat(lines), "ndjson", chunkSize);
    expect(textsOf(batches)).toEqual(["a", undefined, undefined, "b"]);
    expect(linesOf(batches)).toEqual([1, 2, 3, 4]);
  }
});

test("an overlong, unterminated last line is returned without its text in a separate batch, whatever the chunk size", async () => {
  for (const length of [2.5 * maxRecordLength, 2 * maxRecordLength, maxRecordLength + 1]) {
    const text = `a\nb\n${"x".repeat(length)}`;
    const digestBefore = createHash("sha256").update("a\nb\n").digest("hex");
    for (const chunkSize of [1000, 65_536, maxRecordLength, 10_000_000]) {
      const batches = await read(text, "ndjson", chunkSize);
      expect(batches).toEqual([
        {
          records: [
            { line: 1, text: "a" },
            { line: 2, text: "b" },
          ],
          end: { bytes: 4, line: 3, digest: digestBefore, header: undefined },
          mayGrow: false,
        },
        {
          records: [{ line: 3, text: undefined }],
          end: expect.objectContaining({ bytes: text.length, line: 4 }),
          mayGrow: true,
        },
      ]);
    }
  }
});
