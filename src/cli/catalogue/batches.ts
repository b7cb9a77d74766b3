import { isUtf8 } from "node:buffer";
import type { Hash } from "node:crypto";
import type { Format } from "./format.ts";

export interface RawRecord {
  /** Number of the record's first line, from 1. */
  readonly line: number;
  /** Undefined if the record is too long or not valid UTF-8. */
  readonly text: string | undefined;
}

export interface RawBatch {
  readonly records: readonly RawRecord[];
  readonly end: FilePosition;
  /** True if the batch is a last line without a line break, which another process may still be writing. */
  readonly mayGrow: boolean;
}

export interface FilePosition {
  readonly bytes: number;
  readonly line: number;
  /** SHA-256 of everything before the position. */
  readonly digest: string;
  /** The first record of a CSV file, which names the columns; empty if it is too long or not valid UTF-8. */
  readonly header?: string | undefined;
}

export interface StartPosition extends Omit<FilePosition, "digest"> {
  readonly hash: Hash;
}

/**
 * Splits a file into batches of records, in constant memory. The same file always gives the same batches. A record is a line; in CSV, a
 * line break within quotes belongs to its field. Empty lines are skipped. The first line of CSV is a batch without records.
 */
export async function* readBatches(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  batchSize: number,
  start: StartPosition,
): AsyncGenerator<RawBatch> {
  const splitter = new Splitter(format, batchSize, start);
  for await (const chunk of chunks) yield* splitter.split(chunk, false);
  yield* splitter.split(Buffer.alloc(0), true);
}

export const maxRecordLength = 256 * 1024;

/** Number of record bytes at which a batch ends early, because each byte takes dozens of bytes in memory. */
export const maxRecordBytes = 256 * 1024;

class Splitter {
  readonly #hash: Hash;
  readonly #end: { bytes: number; line: number; header: string | undefined };
  #records: RawRecord[] = [];
  #recordBytes = 0;
  #rest: Buffer = Buffer.alloc(0);
  /** True after the start of a record that is too long, until its end is found. */
  #isTooLong = false;

  constructor(
    private readonly format: Format,
    private readonly batchSize: number,
    { hash, bytes, line, header }: StartPosition,
  ) {
    this.#hash = hash;
    this.#end = { bytes, line, header };
  }

  *split(chunk: Uint8Array, isLast: boolean): Generator<RawBatch> {
    // Copies the chunk, because the stream may reuse its buffer.
    const data = Buffer.concat([this.#rest, chunk]);
    const scanner = createScanner(data);
    let at = this.#end.bytes === 0 ? byteOrderMarkLength(data) : 0;
    let consumed = 0;
    let mayGrow = false;
    const consumeTo = (end: number) => {
      this.#consume(data.subarray(consumed, end));
      consumed = end;
    };
    // At the end of the file, a record that is too long has no bytes left in `data`, but still has to be added.
    while (at < data.length || (isLast && this.#isTooLong)) {
      const end = this.#findEnd(scanner, at, isLast);
      if (end === undefined) break;
      this.#isTooLong ||= end - at > maxRecordLength;
      mayGrow = end === data.length;
      const isAlone = this.#isTooLong || mayGrow;
      if (isAlone && this.#records.length > 0) {
        consumeTo(at);
        yield this.#takeBatch(false);
      }
      const endsBatch = this.#add(data, at, end);
      at = end + 1;
      if (!endsBatch) continue;
      consumeTo(at);
      yield this.#takeBatch(mayGrow);
    }
    consumeTo(at);
    const rest = data.subarray(at);
    if ((isLast || rest.length > maxRecordLength) && this.#records.length > 0) yield this.#takeBatch(mayGrow);
    this.#keepRest(rest);
  }

  #keepRest(rest: Buffer): void {
    this.#rest = rest;
    if (rest.length <= maxRecordLength) return;
    this.#isTooLong = true;
    this.#consume(rest);
    this.#rest = Buffer.alloc(0);
  }

  /** Returns the end of the record that begins at a position; undefined if the data does not contain that end yet. */
  #findEnd(scanner: Scanner, at: number, isLast: boolean): number | undefined {
    const { length } = scanner.data;
    const lineEnd = scanner.nextLineFeed(at);
    const isQuoted = this.format === "csv" && !this.#isTooLong && scanner.nextQuote(at) < lineEnd;
    const { end, opened } = isQuoted ? findQuotedEnd(scanner, at) : { end: lineEnd };
    if (end < length || (isLast && opened === undefined)) return end;
    // A quote that is never closed invalidates only its own line.
    const isCut = isLast || length - at > maxRecordLength;
    const cut = isCut ? scanner.nextLineFeed(opened ?? at) : length;
    return cut < length || isLast ? cut : undefined;
  }

  /** Adds a record, unless the line is empty. Returns true if the record fills the batch, or is the header of CSV. */
  #add(data: Buffer, at: number, end: number): boolean {
    const isTooLong = this.#isTooLong;
    const { line, header } = this.#end;
    const isCsv = this.format === "csv";
    const last = end > at && data[end - 1] === carriageReturn ? end - 1 : end;
    this.#isTooLong = false;
    this.#end.line += 1 + (isCsv ? countLineFeeds(data, at, end) : 0);
    if (last === at && !isTooLong) return false;
    const bytes = data.subarray(at, last);
    const text = !isTooLong && isUtf8(bytes) ? bytes.toString() : undefined;
    if (isCsv && header === undefined) {
      this.#end.header = text ?? "";
      return true;
    }
    this.#records.push({ line, text });
    if (text !== undefined) this.#recordBytes += bytes.length;
    return this.#records.length >= this.batchSize || this.#recordBytes >= maxRecordBytes;
  }

  #consume(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#end.bytes += bytes.length;
  }

  #takeBatch(mayGrow: boolean): RawBatch {
    const records = this.#records;
    this.#records = [];
    this.#recordBytes = 0;
    return { records, end: { ...this.#end, digest: this.#hash.copy().digest("hex") }, mayGrow };
  }
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const quote = 0x22;
const comma = 0x2c;
const byteOrderMark = Buffer.from("\ufeff");

function byteOrderMarkLength(data: Buffer): number {
  return data.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0;
}

function countLineFeeds(data: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = data.indexOf(lineFeed, start); at >= 0 && at < end; at = data.indexOf(lineFeed, at + 1)) count++;
  return count;
}

/** Returns the data with functions that find the first occurrence of a byte at or after a position, or the end of the data. */
function createScanner(data: Buffer) {
  const createFinder = (byte: number) => {
    // Keeps the last result: otherwise, a search for a quote from each of many lines would run to the end of the data.
    let searchedFrom = 0;
    let foundAt = -1;
    return (from: number): number => {
      if (from < searchedFrom || from > foundAt) {
        const index = data.indexOf(byte, from);
        foundAt = index < 0 ? data.length : index;
        searchedFrom = from;
      }
      return foundAt;
    };
  };
  return { data, nextLineFeed: createFinder(lineFeed), nextQuote: createFinder(quote), nextComma: createFinder(comma) };
}

type Scanner = ReturnType<typeof createScanner>;

/** Returns the end of a record with quotes. If a quote is not closed, returns its position and the end of the data. */
function findQuotedEnd(
  { data, nextLineFeed, nextQuote, nextComma }: Scanner,
  begin: number,
): { readonly end: number; readonly opened?: number } {
  for (let at = begin; ; at++) {
    // A quote has a meaning only at the start of a field.
    if (data[at] === quote) {
      const opened = at;
      do {
        at = nextQuote(at + 1);
        if (at === data.length) return { end: at, opened };
      } while (data[at + 1] === quote && ++at);
    }
    const lineEnd = nextLineFeed(at);
    const separator = nextComma(at);
    if (separator >= lineEnd) return { end: lineEnd };
    at = separator;
  }
}
