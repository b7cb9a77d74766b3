import { isUtf8 } from "node:buffer";
import type { Hash } from "node:crypto";
import type { Format } from "./format.ts";

/** A record of a file, without its line break. */
export interface RawRecord {
  /** The number of its first line, from 1. */
  readonly line: number;
  /** Undefined if it is too long, or invalid UTF-8. */
  readonly text: string | undefined;
}

/** Consecutive records, and the position where they end. */
export interface RawBatch {
  readonly records: readonly RawRecord[];
  readonly end: Place;
  /** True if its only record has no line break: another process may still be writing it. */
  readonly mayGrow: boolean;
}

/** A position in a file at the start of a record. */
export interface Place {
  readonly bytes: number;
  readonly line: number;
  /** SHA-256 of everything before. */
  readonly digest: string;
  /** The first record of CSV, which names the fields of the others; empty if it is invalid UTF-8. */
  readonly header?: string | undefined;
}

/** The position to begin at, and the hash of everything before. */
export interface Start extends Omit<Place, "digest"> {
  readonly hash: Hash;
}

/**
 * Splits a file into batches of records, always the same ones for the same file, in constant memory. A record is a line; in CSV, a line
 * break within quotes belongs to its field. Empty lines are skipped.
 */
export async function* batchesIn(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  size: number,
  start: Start,
): AsyncGenerator<RawBatch> {
  const splitter = new Splitter(format, size, start);
  for await (const chunk of chunks) {
    yield* splitter.split(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength), false);
  }
  yield* splitter.split(Buffer.alloc(0), true);
}

/** Maximum length of a record, in bytes. */
export const maxRecordLength = 256 * 1024;

/** Replaces a first line of CSV that is too long. No real line consists of a line break. */
export const tooLongHeader = "\n";

/** Maximum bytes of the records of a batch, beyond which it ends early: in memory, each byte takes dozens. */
export const maxRecordBytes = 256 * 1024;

class Splitter {
  readonly #format: Format;
  readonly #size: number;
  readonly #hash: Hash;
  #bytes: number;
  #line: number;
  #header: string | undefined;
  #hasRecords: boolean;
  #records: RawRecord[] = [];
  #recordBytes = 0;
  /** The incomplete record at the end of the chunks so far. */
  #rest: Buffer = Buffer.alloc(0);
  #mayGrow = false;
  /** The start of a record that is too long, until its end is found. */
  #tooLong: Place | undefined;

  constructor(format: Format, size: number, { hash, bytes, line, header }: Start) {
    this.#format = format;
    this.#size = size;
    this.#hash = hash;
    this.#bytes = bytes;
    this.#line = line;
    this.#header = header;
    this.#hasRecords = bytes > 0;
  }

  *split(chunk: Buffer, isAll: boolean): Generator<RawBatch> {
    const data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const isSound = isUtf8(isAll ? data : data.subarray(0, data.lastIndexOf(lineFeed) + 1));
    const places = { data, lineFeed: finder(data, lineFeed), quote: finder(data, quote), comma: finder(data, comma) };
    let at = this.#bytes === 0 ? byteOrderMarkLength(data) : 0;
    let consumed = 0;
    const consumeTo = (end: number) => {
      this.#consume(data.subarray(consumed, end));
      consumed = end;
    };
    // A record that is too long may have nothing left but its end.
    while (at < data.length || (isAll && this.#tooLong)) {
      const end = this.#endOf(places, at, isAll);
      if (end === undefined) break;
      if (end === data.length && this.#records.length > 0) {
        consumeTo(at);
        yield this.#batch(this.#tooLong);
      }
      this.#add(data, at, end, isSound);
      at = end + 1;
      this.#mayGrow = end === data.length;
      if (!this.#isFull) continue;
      consumeTo(at);
      yield this.#batch();
    }
    consumeTo(at);
    this.#keepRest(data.subarray(at));
    if (isAll && this.#hasContent) yield this.#batch();
  }

  get #isFull(): boolean {
    return this.#records.length >= this.#size || this.#recordBytes >= maxRecordBytes;
  }

  /** A header alone is a batch as well, because it may name the wrong columns. */
  get #hasContent(): boolean {
    return this.#records.length > 0 || (this.#header !== undefined && !this.#hasRecords);
  }

  #keepRest(rest: Buffer): void {
    const isTooLong = rest.length > maxRecordLength;
    if (isTooLong) {
      this.#tooLong ??= this.#place;
      this.#consume(rest);
    }
    // Copied, because the stream may reuse its buffer.
    this.#rest = Buffer.from(isTooLong ? "" : rest);
  }

  /** Returns the end of the record that begins at a position, or undefined if it is not in the data yet. */
  #endOf(places: Places, at: number, isAll: boolean): number | undefined {
    const { length } = places.data;
    const lineEnd = places.lineFeed(at);
    const isQuoted = this.#format === "csv" && this.#tooLong === undefined && places.quote(at) < lineEnd;
    const { end, opened } = isQuoted ? endOfQuoted(places, at) : { end: lineEnd };
    if (end < length) return end;
    if (isAll && opened === undefined) return end;
    // A quote that is never closed spoils its own line, and not everything that follows.
    const isCut = isAll || length - at > maxRecordLength;
    const cut = isCut ? places.lineFeed(opened ?? at) : length;
    return cut < length || isAll ? cut : undefined;
  }

  #add(data: Buffer, at: number, end: number, isSound: boolean): void {
    const last = end > at && data[end - 1] === carriageReturn ? end - 1 : end;
    const isTooLong = this.#tooLong !== undefined || last - at > maxRecordLength;
    if (isTooLong || last > at) {
      const isReadable = !isTooLong && (isSound || isUtf8(data.subarray(at, last)));
      if (isReadable) this.#recordBytes += last - at;
      this.#keep(isReadable ? data.toString("utf8", at, last) : undefined, isTooLong);
    }
    this.#tooLong = undefined;
    this.#line += 1 + (this.#format === "csv" ? lineFeedsIn(data, at, end) : 0);
  }

  #keep(text: string | undefined, isTooLong: boolean): void {
    if (this.#format !== "csv" || this.#header !== undefined) this.#records.push({ line: this.#line, text });
    else this.#header = isTooLong ? tooLongHeader : (text ?? "");
  }

  #consume(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  get #place(): Place {
    const digest = this.#hash.copy().digest("hex");
    return { bytes: this.#bytes, line: this.#line, digest, header: this.#header };
  }

  #batch(end: Place = this.#place): RawBatch {
    const records = this.#records;
    this.#records = [];
    this.#recordBytes = 0;
    this.#hasRecords = true;
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

function lineFeedsIn(data: Buffer, start: number, end: number): number {
  let count = 0;
  for (let at = data.indexOf(lineFeed, start); at >= 0 && at < end; at = data.indexOf(lineFeed, at + 1)) count++;
  return count;
}

/** Functions that return the first occurrence of a character at or after a position, or the end of the data. */
interface Places extends Readonly<Record<"lineFeed" | "quote" | "comma", (from: number) => number>> {
  readonly data: Buffer;
}

/** Remembers the last occurrence: otherwise each of many lines without a quote would be searched to the end of the data. */
function finder(data: Buffer, byte: number): (from: number) => number {
  let searchedFrom = 0;
  let found = -1;
  return (from) => {
    if (from < searchedFrom || from > found) {
      const index = data.indexOf(byte, from);
      found = index < 0 ? data.length : index;
      searchedFrom = from;
    }
    return found;
  };
}

/**
 * Returns the end of a record with quotes, which have a meaning only at the start of a field. If its line break is missing, that is the
 * end of the data, and `opened` is the quote that is still open, if any.
 */
function endOfQuoted(
  { data, lineFeed: nextLineFeed, quote: nextQuote, comma: nextComma }: Places,
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
