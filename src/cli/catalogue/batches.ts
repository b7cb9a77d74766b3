import { isUtf8 } from "node:buffer";
import type { Hash } from "node:crypto";
import type { Format } from "./format.ts";

/** A record of a file, as it stands there without the line break after it. */
export interface RawRecord {
  /** The first line of it, from 1. */
  readonly line: number;
  /** Undefined if it is too long, or no UTF-8. */
  readonly text: string | undefined;
}

/** Records that follow each other, and the place where they end. */
export interface RawBatch {
  readonly records: readonly RawRecord[];
  readonly end: Place;
  /** Whether its only record has no line break after it, as one has that somebody else is still writing. */
  readonly mayGrow: boolean;
}

/** A place in a file, before which all records are whole. */
export interface Place {
  readonly bytes: number;
  /** The line that begins there. */
  readonly line: number;
  /** Of everything up to there (SHA-256): the same only if it is the same. */
  readonly digest: string;
  /** The first record of CSV, which names the fields of the others; empty if it is no UTF-8. */
  readonly header?: string | undefined;
}

/** Where to begin: at the start of a file, or at a place up to which the hash has seen it. */
export interface Start extends Omit<Place, "digest"> {
  readonly hash: Hash;
}

/**
 * Cuts what is read into batches of records, the same ones for the same file. A record is a line; in CSV, a line break within
 * quotes belongs to its field. Empty lines are passed over. Memory does not depend on how much there is to read.
 */
export async function* batchesIn(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  size: number,
  start: Start,
): AsyncGenerator<RawBatch> {
  const splitter = new Splitter(format, size, start);
  for await (const chunk of chunks) yield* splitter.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  yield* splitter.end();
}

/** No animal needs as much. */
export const longestRecord = 256 * 1024;

/** In the place of a first line of CSV that is too long. No line has a line break in it and nothing else. */
export const tooLongHeader = "\n";

/** A batch that has as much ends, however few records that is: memory holds each of its bytes dozens of times. */
export const mostRecordBytes = 256 * 1024;

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
  /** What was read and is no whole record yet. */
  #rest: Buffer = Buffer.alloc(0);
  #mayGrow = false;
  /** Where a record begins that is too long, while its end is looked for. */
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

  *take(chunk: Buffer): Generator<RawBatch> {
    yield* this.#split(this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]), false);
  }

  *end(): Generator<RawBatch> {
    yield* this.#split(this.#rest, true);
    if (this.#records.length > 0 || this.#isHeaderAlone) yield this.#batch();
  }

  /** What names columns and no animal may still name the wrong ones. */
  get #isHeaderAlone(): boolean {
    return this.#header !== undefined && !this.#hasRecords;
  }

  *#split(data: Buffer, isAll: boolean): Generator<RawBatch> {
    const isSound = isUtf8(isAll ? data : data.subarray(0, data.lastIndexOf(lineFeed) + 1));
    let at = this.#bytes === 0 && data.subarray(0, 3).equals(byteOrderMark) ? 3 : 0;
    let consumed = 0;
    const places = new Places(data);
    // Of a record that is too long, nothing may be left but its end.
    while (at < data.length || (isAll && this.#tooLong)) {
      const end = this.#endOf(places, at, isAll);
      if (end === undefined) break;
      if (end === data.length && this.#records.length > 0) {
        this.#consume(data.subarray(consumed, at));
        consumed = at;
        yield this.#batch(this.#tooLong);
      }
      this.#add(data, at, end, isSound);
      at = end + 1;
      this.#mayGrow = end === data.length;
      if (this.#records.length < this.#size && this.#recordBytes < mostRecordBytes) continue;
      this.#consume(data.subarray(consumed, at));
      consumed = at;
      yield this.#batch();
    }
    this.#consume(data.subarray(consumed, at));
    if (data.length - at > longestRecord) {
      this.#tooLong ??= this.#place;
      this.#consume(data.subarray(at));
      at = data.length;
    }
    // What it lies in may be used again for what is read next.
    this.#rest = Buffer.from(data.subarray(at));
  }

  /** Where the record that begins there ends, or undefined if that is not read yet. */
  #endOf(places: Places, at: number, isAll: boolean): number | undefined {
    const lineEnd = places.lineFeed.from(at);
    const isQuoted = this.#format === "csv" && this.#tooLong === undefined && places.quote.from(at) < lineEnd;
    const { end, opened } = isQuoted ? endOfQuoted(places, at) : { end: lineEnd };
    if (end < places.length) return end;
    if (isAll && opened === undefined) return end;
    // Where a quote is never closed, its line is wrong, and not everything that follows.
    const isCut = isAll || places.length - at > longestRecord;
    const cut = isCut ? places.lineFeed.from(opened ?? at) : places.length;
    return cut < places.length || isAll ? cut : undefined;
  }

  #add(data: Buffer, at: number, end: number, isSound: boolean): void {
    const line = this.#line;
    const last = end > at && data[end - 1] === carriageReturn ? end - 1 : end;
    const isTooLong = this.#tooLong !== undefined || last - at > longestRecord;
    if (isTooLong || last > at) {
      const isReadable = !isTooLong && (isSound || isUtf8(data.subarray(at, last)));
      const text = isReadable ? data.toString("utf8", at, last) : undefined;
      if (isReadable) this.#recordBytes += last - at;
      if (this.#format === "csv" && this.#header === undefined) this.#header = isTooLong ? tooLongHeader : (text ?? "");
      else this.#records.push({ line, text });
    }
    this.#tooLong = undefined;
    this.#line = line + 1;
    if (this.#format !== "csv") return;
    for (let inside = data.indexOf(lineFeed, at); isBefore(inside, end); inside = data.indexOf(lineFeed, inside + 1)) {
      this.#line++;
    }
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

function isBefore(place: number, end: number): boolean {
  return place >= 0 && (end < 0 || place < end);
}

/** Where some characters are in what was read. */
class Places {
  readonly lineFeed: Occurrences;
  readonly quote: Occurrences;
  readonly comma: Occurrences;

  constructor(readonly data: Buffer) {
    this.lineFeed = new Occurrences(data, lineFeed);
    this.quote = new Occurrences(data, quote);
    this.comma = new Occurrences(data, comma);
  }

  get length(): number {
    return this.data.length;
  }
}

/** Remembers the last one that it has found: else each of many lines without a quote would be searched on to the end for one. */
class Occurrences {
  readonly #data: Buffer;
  readonly #byte: number;
  #from = 0;
  #found = -1;

  constructor(data: Buffer, byte: number) {
    this.#data = data;
    this.#byte = byte;
  }

  /** The first one there or behind; the end if there is none. */
  from(place: number): number {
    if (place < this.#from || place > this.#found) {
      const found = this.#data.indexOf(this.#byte, place);
      this.#found = found < 0 ? this.#data.length : found;
      this.#from = place;
    }
    return this.#found;
  }
}

/**
 * The line break after a record that has quotes, which are only such at the beginning of a field. Where there is none yet, that is
 * the end of what was read, and `opened` is the quote that is still open, if there is one.
 */
function endOfQuoted(places: Places, begin: number): { readonly end: number; readonly opened?: number } {
  const { data, length } = places;
  for (let at = begin; ; at++) {
    if (data[at] === quote) {
      const opened = at;
      do {
        at = places.quote.from(at + 1);
        if (at === length) return { end: length, opened };
      } while (data[at + 1] === quote && ++at);
    }
    const lineEnd = places.lineFeed.from(at);
    const nextComma = places.comma.from(at);
    if (nextComma >= lineEnd) return { end: lineEnd };
    at = nextComma;
  }
}
