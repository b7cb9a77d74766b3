import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { newPartialPath, removeIfPossible, withFile } from "../../../base/files.ts";
import { isFullDisk } from "../errors.ts";
import { sizeOf, walIndexOf, walOf } from "./database-files.ts";

// Reads the WAL and its index as documented at https://www.sqlite.org/walformat.html.

/** The database after the last commit in the WAL. */
interface WalContent {
  readonly pageCount: number;
  /** Numbers of the pages in the WAL. The database file may not contain them yet. */
  readonly pages: ReadonlySet<number>;
}

/** Returns what was committed to the WAL, or undefined if nothing was. */
export function readWal(path: string): WalContent | undefined {
  if (sizeOf(walOf(path)) < walHeaderBytes) return undefined;
  return withFile(walOf(path), "r", readFrames);
}

/** Returns true if a page of the database is neither in the WAL nor among the first pages, which are in the file. */
export function isAnyPageMissing(filePages: number, { pageCount, pages }: WalContent): boolean {
  for (let page = filePages + 1; page <= pageCount; page++) if (!pages.has(page)) return true;
  return false;
}

function readFrames(file: number): WalContent | undefined {
  const header = Buffer.alloc(walHeaderBytes);
  readSync(file, header, 0, walHeaderBytes, 0);
  const frameBytes = frameHeaderBytes + header.readUInt32BE(8);
  const salts = header.subarray(16, 24);
  const frame = Buffer.alloc(frameHeaderBytes);
  const pages = new Set<number>();
  const uncommitted: number[] = [];
  let pageCount = 0;
  for (let at = walHeaderBytes; readSync(file, frame, 0, frameHeaderBytes, at) === frameHeaderBytes; at += frameBytes) {
    // Frames with other salts are older than the last restart of the WAL.
    if (!frame.subarray(8, 16).equals(salts)) break;
    uncommitted.push(frame.readUInt32BE(0));
    const countAfterCommit = frame.readUInt32BE(4);
    if (countAfterCommit === 0) continue;
    for (const page of uncommitted.splice(0)) pages.add(page);
    pageCount = countAfterCommit;
  }
  return pageCount === 0 ? undefined : { pageCount, pages };
}

/** Returns the minimum length of a WAL with this number of frames. */
export function walBytes({ frames, pageSize }: { readonly frames: number; readonly pageSize: number }): number {
  return frames === 0 ? 0 : walHeaderBytes + frames * (frameHeaderBytes + pageSize);
}

const walHeaderBytes = 32;
const frameHeaderBytes = 24;

/** The state of the WAL in its index. */
export interface WalState {
  readonly frames: number;
  readonly pageSize: number;
  /** Number of pages of the database, including pages that are only in the WAL. */
  readonly pageCount: number;
  /** Number of frames that were checkpointed. */
  readonly checkpointedFrames: number;
  /** Number of frames that the latest checkpoint attempts to reach. */
  readonly checkpointTarget: number;
  /** Two numbers that change whenever the WAL is restarted. */
  readonly salts: readonly [number, number];
}

/**
 * The index of the WAL. SQLite's locks are on that file, and closing any of its descriptors releases all locks of the process. So the file
 * is opened once, and closed after the database.
 */
export class WalIndex {
  readonly #file: number;
  readonly #recover: () => void;
  readonly #words = new Uint32Array(34);
  readonly #halves = new Uint16Array(this.#words.buffer);
  #reservedBytes = 0;

  /** `recover` reads the database, so that SQLite rebuilds an index with an incomplete header. */
  constructor(path: string, recover: () => void) {
    this.#file = openSync(walIndexOf(path), "r+");
    this.#recover = recover;
  }

  /** True if the index file was removed, so that other processes use a new one. */
  get isRemoved(): boolean {
    return fstatSync(this.#file).nlink === 0;
  }

  read(): WalState {
    const words = this.#words;
    readSync(this.#file, words, 0, words.byteLength, 0);
    // The two copies of the header differ while another process writes them, or if that process was killed in between.
    if (words[4] !== words[16] || words[8] !== words[20] || words[9] !== words[21]) {
      this.#recover();
      return this.read();
    }
    return {
      frames: words[4] ?? 0,
      // As in the header of the file, 1 means 65536.
      pageSize: this.#halves[7] === 1 ? 65536 : (this.#halves[7] ?? 0),
      pageCount: words[5] ?? 0,
      checkpointedFrames: words[24] ?? 0,
      checkpointTarget: words[32] ?? 0,
      salts: [words[8] ?? 0, words[9] ?? 0],
    };
  }

  /**
   * Allocates the part of the file that a transaction may need. SQLite writes one byte per 4 KiB, which leaves holes in file systems
   * with smaller blocks. The caller holds the write lock, without which no other process changes the file beyond its first page.
   */
  reserve(frames: number): void {
    const bytes = walIndexBytes(frames);
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

/**
 * Throws ENOSPC if the disk has no space for the index of the WAL: SQLite maps the index into memory, and the kernel kills a process that
 * writes to mapped memory on a full disk. The check writes a file, because quotas and reserved blocks make the number of free blocks misleading.
 */
export function requireWalIndexSpace(path: string): void {
  // SQLite reuses the blocks of an index that a killed process has left.
  const left = statSync(walIndexOf(path), { throwIfNoEntry: false })?.blocks ?? 0;
  const needed = walIndexBytes(sizeOf(walOf(path)) / minFrameBytes) - left * 512;
  const probe = newPartialPath(path);
  try {
    if (needed > 0) writeFileSync(probe, Buffer.alloc(needed), { flag: "wx", mode: 0o600 });
  } catch (error) {
    // SQLite itself reports any other problem that matters.
    if (isFullDisk({ code: (error as NodeJS.ErrnoException).code ?? "" })) throw error;
  } finally {
    removeIfPossible(probe);
  }
}

const minFrameBytes = 4096 + frameHeaderBytes;

/** Returns the length of the index of a WAL with this number of frames, with one region to spare. */
function walIndexBytes(frames: number): number {
  return (Math.floor(frames / framesInRegion) + 2) * regionBytes;
}

const regionBytes = 32 * 1024;
const framesInRegion = 4096;
/** Size of the page with the header and the marks of readers, which other processes may change at any time. */
const firstPageBytes = 4096;

/** True if this process holds SQLite's write lock, on byte 120 of the index of the WAL. Always false without /proc/locks. */
export function hasWriteLock(): boolean {
  if (!existsSync("/proc/locks")) return false;
  const ownLock = new RegExp(`POSIX +ADVISORY +WRITE +${process.pid} \\S+ 120 `);
  return ownLock.test(readFileSync("/proc/locks", "latin1"));
}
