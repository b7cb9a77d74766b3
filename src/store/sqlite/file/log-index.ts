import { closeSync, fstatSync, openSync, readSync } from "node:fs";
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
 * it here takes away those of the whole process: so it is closed after the database, and opened only once.
 */
export class LogIndex {
  readonly #file: number;
  readonly #words = new Uint32Array(34);
  readonly #halves = new Uint16Array(this.#words.buffer);

  constructor(path: string) {
    this.#file = openSync(logIndexOf(path), "r");
  }

  /** Whether the file has lost its name, and other programs go by another. */
  get isRemoved(): boolean {
    return fstatSync(this.#file).nlink === 0;
  }

  read(): LogState {
    const words = this.#words;
    do {
      readSync(this.#file, words, 0, words.byteLength, 0);
      // The header is there twice, and the two differ while somebody writes it.
    } while (words[4] !== words[16] || words[8] !== words[20] || words[9] !== words[21]);
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

  close(): void {
    closeSync(this.#file);
  }
}
