import { csvSeparators, findClosingQuote, parseCsvRecord } from "../../../base/csv.ts";
import { Complaint } from "../../parts/errors.ts";

export interface Row {
  /** The number of the row's first line, from 1. */
  readonly line: number;
  /** The fields, or the whole text if the row is malformed. */
  readonly fields: readonly string[];
  readonly problem?: string | undefined;
}

/** Decodes UTF-8, or UTF-16 with a byte order mark. Throws Complaint for any other encoding: a guess could corrupt names. */
export function decodeText(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new Complaint("This file is empty.");
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (!isUtf16 && bytes.subarray(0, 1_024).includes(0)) {
    throw new Complaint("This file is not text. In the spreadsheet, save it as CSV, and choose that file.");
  }
  const encoding = isUtf16 ? (first === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Complaint(
      "This file is not in UTF-8, so its letters may be misread. In the spreadsheet, save it as CSV UTF-8, and choose that file.",
    );
  }
}

/** Splits CSV into rows, in linear time, and skips empty rows. A first line such as `sep=;` can declare the separator. */
export function parseRows(text: string): Row[] {
  const [declaration = "", declared] = /^sep=(.)(?:\r\n|\r|\n|$)/i.exec(text) ?? [];
  const separator = declared ?? guessSeparator(text);
  const rows: Row[] = [];
  let line = declaration === "" ? 1 : 2;
  for (let at = declaration.length; at < text.length; ) {
    const end = findRowEnd(text, at, separator);
    const record = text.slice(at, end);
    const fields = splitRow(record, separator);
    if (typeof fields === "string") rows.push({ line, fields: [record], problem: fields });
    else if (fields.some((field) => field.trim() !== "")) rows.push({ line, fields });
    line += 1 + (record.match(/\r\n|\r|\n/g)?.length ?? 0);
    at = end + (text.startsWith("\r\n", end) ? 2 : 1);
  }
  return rows;
}

/** Returns a tab if the first row contains a tab, because names contain no tabs; otherwise, the separator that yields the most fields. */
function guessSeparator(text: string): string {
  const start = text.search(/[^\r\n]/);
  const counts = csvSeparators.map((separator) => {
    const fields = parseCsvRecord(text.slice(start, findRowEnd(text, start, separator)), separator);
    return typeof fields === "string" ? 0 : fields.length;
  });
  const max = Math.max(...counts);
  const hasTabs = (counts[csvSeparators.indexOf("\t")] ?? 0) > 1;
  if (hasTabs || (max === 0 && text.slice(start, findLineEnd(text, start)).includes("\t"))) return "\t";
  return csvSeparators[counts.indexOf(max)] ?? ",";
}

/** Returns the fields, or the reason why the row is malformed. With tabs, allows the unescaped quotes in cells copied from a spreadsheet. */
function splitRow(record: string, separator: string): string[] | string {
  const fields = parseCsvRecord(record, separator);
  return typeof fields === "string" && separator === "\t" ? record.split(separator) : fields;
}

/** Returns the end of a row. A row with an unclosed quote ends at the first line break, so that the following rows stay readable. */
function findRowEnd(text: string, begin: number, separator: string): number {
  let isFieldStart = true;
  for (let at = begin; at < text.length; at++) {
    const character = text[at];
    if (isFieldStart && character === '"') {
      const close = findClosingQuote(text, at + 1);
      const after = text[close + 1];
      const isClosed = after === undefined || after === separator || after === "\n" || after === "\r";
      if (close < 0 || !isClosed) return findLineEnd(text, begin);
      at = close;
    } else if (character === "\n" || character === "\r") return at;
    isFieldStart = character === separator;
  }
  return text.length;
}

function findLineEnd(text: string, begin: number): number {
  const lineBreak = /[\r\n]/g;
  lineBreak.lastIndex = begin;
  return lineBreak.exec(text)?.index ?? text.length;
}
