import { isUtf8 } from "node:buffer";
import type { Hash } from "node:crypto";
import type { Format } from "./format.ts";

/** A record of a file, without its line break. */
export interface RawRecord {
  /** Number of the record's first line, from 1. */
  readonly line: number;
  /** Undefined if the record is too long or not valid UTF-8. */
  readonly text: string | undefined;
}

/** Consecutive records, and the position where they end. */
export interface RawBatch {
  readonly records: readonly RawRecord[];
  readonly end: FilePosition;
  /** True if the batch consists of a last line without a line break, which another process may still be writing. */
  readonly mayGrow: boolean;
}

/** A position in a file at the start of a record. */
export interface FilePosition {
  readonly bytes: number;
  readonly line: number;
  /** SHA-256 of everything before the position. */
  readonly digest: string;
  /** The first record of a CSV file, which names the columns; empty if it is not valid UTF-8. */
  readonly header?: string | undefined;
}

/** The position to begin at, and the hash of everything before it. */
export interface Start extends Omit<FilePosition, "digest"> {
  readonly hash: Hash;
}

/**
 * Splits a file into batches of records, in constant memory. The same file always gives the same batches. A record is a line; in CSV, a
 * line break within quotes belongs to its field. Empty lines are skipped.
 */
export async function* readBatches(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  batchSize: number,
  start: Start,
): AsyncGenerator<RawBatch> {
  const splitter = new Splitter(format, batchSize, start);
  for await (const chunk of chunks) {
    yield* splitter.split(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), false);
  }
  yield* splitter.split(Buffer.alloc(0), true);
}

export const maxRecordLength = 256 * 1024;

/** Stands for a first line of CSV that is too long. No real line consists of a line break. */
export const tooLongHeader = "\n";

/** Number of record bytes at which a batch ends early, because each byte takes dozens of bytes in memory. */
export const maxRecordBytes = 256 * 1024;

class Splitter {
  readonly #hash: Hash;
  readonly #end: { bytes: number; line: number; header: string | undefined };
  #hasBatches: boolean;
  #records: RawRecord[] = [];
  #recordBytes = 0;
  /** The incomplete record at the end of the chunks so far. */
  #rest: Buffer = Buffer.alloc(0);
  #mayGrow = false;
  /** The start of a record that is too long, until its end is found. */
  #tooLong: FilePosition | undefined;

  constructor(
    private readonly format: Format,
    private readonly batchSize: number,
    { hash, bytes, line, header }: Start,
  ) {
    this.#hash = hash;
    this.#end = { bytes, line, header };
    this.#hasBatches = bytes > 0;
  }

  *split(chunk: Buffer, isLast: boolean): Generator<RawBatch> {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const isValidUtf8 = isUtf8(isLast ? data : data.subarray(0, data.lastIndexOf(lineFeed) + 1));
    const scanner = scan(data);
    let at = this.#end.bytes === 0 ? byteOrderMarkLength(data) : 0;
    let consumed = 0;
    const consumeTo = (end: number) => {
      this.#consume(data.subarray(consumed, end));
      consumed = end;
    };
    // At the end of the file, a record that is too long has no bytes left in `data`, but still has to be added.
    while (at < data.length || (isLast && this.#tooLong)) {
      const end = this.#findEnd(scanner, at, isLast);
      if (end === undefined) break;
      if (end === data.length && this.#records.length > 0) {
        consumeTo(at);
        yield this.#takeBatch(this.#tooLong);
      }
      this.#add(data, at, end, isValidUtf8);
      at = end + 1;
      this.#mayGrow = end === data.length;
      if (!this.#isFull) continue;
      consumeTo(at);
      yield this.#takeBatch();
    }
    consumeTo(at);
    this.#keepRest(data.subarray(at));
    if (isLast && this.#hasContent) yield this.#takeBatch();
  }

  get #isFull(): boolean {
    return this.#records.length >= this.batchSize || this.#recordBytes >= maxRecordBytes;
  }

  /** A header without records is a batch as well, so that the reader can report wrong columns. */
  get #hasContent(): boolean {
    return this.#records.length > 0 || (this.#end.header !== undefined && !this.#hasBatches);
  }

  #keepRest(rest: Buffer): void {
    const isTooLong = rest.length > maxRecordLength;
    if (isTooLong) {
      this.#tooLong ??= this.#position;
      this.#consume(rest);
    }
    // Copied, because the stream may reuse its buffer.
    this.#rest = Buffer.from(isTooLong ? "" : rest);
  }

  /** Returns the end of the record that begins at a position; undefined if the data does not contain that end yet. */
  #findEnd(scanner: Scanner, at: number, isLast: boolean): number | undefined {
    const { length } = scanner.data;
    const lineEnd = scanner.nextLineFeed(at);
    const isQuoted = this.format === "csv" && this.#tooLong === undefined && scanner.nextQuote(at) < lineEnd;
    const { end, opened } = isQuoted ? endOfQuoted(scanner, at) : { end: lineEnd };
    if (end < length) return end;
    if (isLast && opened === undefined) return end;
    // A quote that is never closed invalidates only its own line.
    const isCut = isLast || length - at > maxRecordLength;
    const cut = isCut ? scanner.nextLineFeed(opened ?? at) : length;
    return cut < length || isLast ? cut : undefined;
  }

  #add(data: Buffer, at: number, end: number, isValidUtf8: boolean): void {
    const last = end > at && data[end - 1] === carriageReturn ? end - 1 : end;
    const isTooLong = this.#tooLong !== undefined || last - at > maxRecordLength;
    if (isTooLong || last > at) {
      const isReadable = !isTooLong && (isValidUtf8 || isUtf8(data.subarray(at, last)));
      if (isReadable) this.#recordBytes += last - at;
      this.#keep(isReadable ? data.toString("utf8", at, last) : undefined, isTooLong);
    }
    this.#tooLong = undefined;
    this.#end.line += 1 + (this.format === "csv" ? countLineFeeds(data, at, end) : 0);
  }

  #keep(text: string | undefined, isTooLong: boolean): void {
    const { line, header } = this.#end;
    if (this.format !== "csv" || header !== undefined) this.#records.push({ line, text });
    else this.#end.header = isTooLong ? tooLongHeader : (text ?? "");
  }

  #consume(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#end.bytes += bytes.length;
  }

  get #position(): FilePosition {
    return { ...this.#end, digest: this.#hash.copy().digest("hex") };
  }

  #takeBatch(end: FilePosition = this.#position): RawBatch {
    const records = this.#records;
    this.#records = [];
    this.#recordBytes = 0;
    this.#hasBatches = true;
    return { records, end, mayGrow: this.#mayGrow };
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
function scan(data: Buffer) {
  const makeFinder = (byte: number) => {
    // Keeps the last result: otherwise, a search for a quote from each of many lines would run to the end of the data.
    let searchedFrom = 0;
    let found = -1;
    return (from: number): number => {
      if (from < searchedFrom || from > found) {
        const index = data.indexOf(byte, from);
        found = index < 0 ? data.length : index;
        searchedFrom = from;
      }
      return found;
    };
  };
  return { data, nextLineFeed: makeFinder(lineFeed), nextQuote: makeFinder(quote), nextComma: makeFinder(comma) };
}

type Scanner = ReturnType<typeof scan>;

/**
 * Returns the position of the line break that ends a record with quotes, or the end of the data if a quote is not closed; `opened` is then
 * the position of that quote. A quote has a meaning only at the start of a field.
 */
function endOfQuoted(
  { data, nextLineFeed, nextQuote, nextComma }: Scanner,
  begin: number,
): { readonly end: number; readonly opened?: number } {
  for (let at = begin; ; at++) {
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
