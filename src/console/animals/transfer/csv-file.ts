import { closingQuote, fieldsOf, separators } from "../../../base/csv.ts";
import { Complaint } from "../../api/errors.ts";

/** A record of a file. */
export interface Row {
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** If it cannot be read as fields, the text of it is the only one. */
  readonly fields: readonly string[];
  /** Why it cannot. */
  readonly problem?: string | undefined;
}

/**
 * The text of a file as spreadsheets write it: UTF-8, or UTF-16 with a byte order mark. Anything else is refused, since a guess
 * would spoil names. Throws Complaint.
 */
export function textOf(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new Complaint("This file is empty.");
  const [first, second] = bytes;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (!isWide && bytes.subarray(0, 1_024).includes(0)) {
    throw new Complaint("This file is not text. In the spreadsheet, save it as CSV, and choose that file.");
  }
  const encoding = isWide ? (first === 0xff ? "utf-16le" : "utf-16be") : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new Complaint(
      "This file is not in UTF-8, so its letters cannot be read for certain. In the spreadsheet, save it as CSV UTF-8, and choose that file.",
    );
  }
}

/**
 * The rows of CSV, in time that grows with its length alone. Between fields are tabs, if the first row has any, since no name does;
 * otherwise what divides it into the most, or what a first line such as `sep=;` says, which spreadsheets know. Rows without any
 * content are left out.
 */
export function rowsIn(text: string): Row[] {
  const [told = "", toldSeparator] = /^sep=(.)(?:\r\n|\r|\n|$)/i.exec(text) ?? [];
  const separator = toldSeparator ?? separatorOf(text);
  const rows: Row[] = [];
  let line = told === "" ? 1 : 2;
  for (let at = told.length; at < text.length; ) {
    const end = endOfRow(text, at, separator);
    const record = text.slice(at, end);
    const fields = fieldsIn(record, separator);
    if (typeof fields === "string") rows.push({ line, fields: [record], problem: fields });
    else if (fields.some((field) => field.trim() !== "")) rows.push({ line, fields });
    line += 1 + (record.match(/\r\n|\r|\n/g)?.length ?? 0);
    at = end + (text.startsWith("\r\n", end) ? 2 : 1);
  }
  return rows;
}

function separatorOf(text: string): string {
  const start = text.search(/[^\r\n]/);
  const counts = separators.map((separator) => {
    const fields = fieldsOf(text.slice(start, endOfRow(text, start, separator)), separator);
    return typeof fields === "string" ? 0 : fields.length;
  });
  const most = Math.max(...counts);
  const hasTabs = (counts[separators.indexOf("\t")] ?? 0) > 1;
  if (hasTabs || (most === 0 && text.slice(start, lineEnd(text, start)).includes("\t"))) return "\t";
  return separators[counts.indexOf(most)] ?? ",";
}

/** Cells that are copied from a spreadsheet have tabs between them, and the quotes in them are neither doubled nor in quotes. */
function fieldsIn(record: string, separator: string): string[] | string {
  const fields = fieldsOf(record, separator);
  return typeof fields === "string" && separator === "\t" ? record.split(separator) : fields;
}

/**
 * A quote counts at the beginning of a field alone. Where one is not closed, or not at the end of a field, its line alone is wrong, and
 * not all up to the next quote. No part is searched for quotes more than twice: of those that open a field, an even number side by
 * side is closed there, and an odd number ends every search that began before it.
 */
function endOfRow(text: string, begin: number, separator: string): number {
  let isFieldStart = true;
  for (let at = begin; at < text.length; at++) {
    const character = text[at];
    if (isFieldStart && character === '"') {
      const close = closingQuote(text, at + 1);
      const after = text[close + 1];
      const isWhole = after === undefined || after === separator || after === "\n" || after === "\r";
      if (close < 0 || !isWhole) return lineEnd(text, begin);
      at = close;
    } else if (character === "\n" || character === "\r") return at;
    isFieldStart = character === separator;
  }
  return text.length;
}

function lineEnd(text: string, begin: number): number {
  const lineBreak = /[\r\n]/g;
  lineBreak.lastIndex = begin;
  return lineBreak.exec(text)?.index ?? text.length;
}
