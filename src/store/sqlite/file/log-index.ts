import { closeSync, fstatSync, openSync, readSync, writeSync } from "node:fs";
import { logIndexOf } from "./paths.ts";

/** What SQLite knows of the log at one moment. */
export interface LogState {
  /** How many frames the log has, each with a page. */
  readonly frames: number;
  readonly pageSize: number;
  /** How many pages the database has, with those that are in the log alone. */
  readonly pageCount: number;
  /** How many of the frames are in the file as well, and up to which somebody has begun to put them there. */
  readonly folded: number;
  readonly beingFolded: number;
  /** Changes each time that the log is restarted. */
  readonly salt: number;
  readonly otherSalt: number;
}

/**
 * Reads the index of the log, as https://www.sqlite.org/walformat.html has it. SQLite's locks are on that file, and closing
 * it here releases those of the whole process: so it is closed after the database, and opened only once.
 */
export class LogIndex {
  readonly #file: number;
  readonly #recover: () => void;
  readonly #words = new Uint32Array(34);
  readonly #halves = new Uint16Array(this.#words.buffer);
  #reservedBytes = 0;

  /** `recover` has SQLite read the database, and thereby build the index again if its header is incomplete. */
  constructor(path: string, recover: () => void) {
    this.#file = openSync(logIndexOf(path), "r+");
    this.#recover = recover;
  }

  /** True if the file has lost its name, and other programs use another file. */
  get isRemoved(): boolean {
    return fstatSync(this.#file).nlink === 0;
  }

  read(): LogState {
    const words = this.#words;
    readSync(this.#file, words, 0, words.byteLength, 0);
    // The header is there twice. The two copies differ while another process writes it, or after it was killed meanwhile.
    if (words[4] !== words[16] || words[8] !== words[20] || words[9] !== words[21]) {
      this.#recover();
      return this.read();
    }
    return {
      frames: words[4] ?? 0,
      // As in the header of the file, 1 stands for the largest.
      pageSize: this.#halves[7] === 1 ? 65536 : (this.#halves[7] ?? 0),
      pageCount: words[5] ?? 0,
      folded: words[24] ?? 0,
      beingFolded: words[32] ?? 0,
      salt: words[8] ?? 0,
      otherSalt: words[9] ?? 0,
    };
  }

  /**
   * Allocates the file as far as the next transaction may need it. SQLite writes one byte for every 4 KiB, which leaves holes if blocks
   * are smaller. The caller holds the lock of writers, without which nothing behind the first page changes.
   */
  reserve(frames: number): void {
    const bytes = logIndexBytes(frames);
    if (bytes <= this.#reservedBytes) return;
    const content = Buffer.alloc(bytes);
    readSync(this.#file, content, 0, bytes, 0);
    for (let at = firstPageBytes; at < bytes; at += writeSync(this.#file, content, at, bytes - at, at));
    this.#reservedBytes = bytes;
  }

  close(): void {
    closeSync(this.#file);
  }
}

/** The length of the index of a log that has so many frames, with one region to spare. */
export function logIndexBytes(frames: number): number {
  return (Math.floor(frames / framesInRegion) + 2) * regionBytes;
}

const regionBytes = 32 * 1024;
const framesInRegion = 4096;
/** The page with the header and the marks of readers, which is always in use. */
const firstPageBytes = 4096;
