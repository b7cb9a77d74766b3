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

/** Returns the number of pages of the database after the last commit in the WAL, and the numbers of the pages in the WAL. */
export function readWal(path: string): { readonly pageCount: number; readonly pages: ReadonlySet<number> } | undefined {
  if (sizeOf(walOf(path)) < walHeaderBytes) return undefined;
  return withFile(walOf(path), "r", (file) => {
    const header = Buffer.alloc(walHeaderBytes);
    readSync(file, header, 0, walHeaderBytes, 0);
    const frameBytes = frameHeaderBytes + header.readUInt32BE(8);
    const salts = header.subarray(16, 24);
    const frame = Buffer.alloc(frameHeaderBytes);
    const pages = new Set<number>();
    let pageCount = 0;
    for (let at = walHeaderBytes; readSync(file, frame, 0, frameHeaderBytes, at) === frameHeaderBytes; ) {
      // Frames with other salts are older than the last restart of the WAL.
      if (!frame.subarray(8, 16).equals(salts)) break;
      pages.add(frame.readUInt32BE(0));
      // Only the last frame of a commit has a page count.
      pageCount = frame.readUInt32BE(4) || pageCount;
      at += frameBytes;
    }
    return pageCount === 0 ? undefined : { pageCount, pages };
  });
}

const walHeaderBytes = 32;
const frameHeaderBytes = 24;

/** The state of the WAL in its index. */
export interface WalState {
  readonly frames: number;
  /** Minimum length of the WAL file. */
  readonly walBytes: number;
  /** Size of the database, including pages that are only in the WAL. */
  readonly databaseBytes: number;
  /** True from the start of a checkpoint until all frames up to its target are in the database file. */
  readonly isCheckpointing: boolean;
  /** A text that changes with every checkpoint and every restart of the WAL. */
  readonly checkpoint: string;
}

/**
 * The index of the WAL. SQLite's locks are on that file, and closing any of its descriptors releases all locks of the process. So the file
 * is opened once, and closed after the database.
 */
export class WalIndex {
  readonly #file: number;
  readonly #words = new Uint32Array(34);
  readonly #halves = new Uint16Array(this.#words.buffer);
  #reservedBytes = 0;

  /** `recover` reads the database, so that SQLite rebuilds an index with an incomplete header. */
  constructor(
    path: string,
    readonly recover: () => void,
  ) {
    this.#file = openSync(walIndexOf(path), "r+");
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
      this.recover();
      return this.read();
    }
    const frames = words[4] ?? 0;
    // As in the header of the file, 1 means 65536.
    const pageSize = this.#halves[7] === 1 ? 65536 : (this.#halves[7] ?? 0);
    const [checkpointedFrames = 0, checkpointTarget = 0] = [words[24], words[32]];
    return {
      frames,
      walBytes: frames === 0 ? 0 : walHeaderBytes + frames * (frameHeaderBytes + pageSize),
      databaseBytes: (words[5] ?? 0) * pageSize,
      isCheckpointing: checkpointTarget > checkpointedFrames,
      checkpoint: `${checkpointedFrames} ${checkpointTarget} ${words[8]} ${words[9]}`,
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
 * writes to mapped memory on a full disk. Quotas and reserved blocks make the number of free blocks misleading, so a file is written.
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
/** The first page has the header and the marks of readers, which other processes may change at any time. */
const firstPageBytes = 4096;

/** True if this process holds SQLite's write lock, on byte 120 of the index of the WAL. Always false without /proc/locks. */
export function hasWriteLock(): boolean {
  if (!existsSync("/proc/locks")) return false;
  const ownLock = new RegExp(`POSIX +ADVISORY +WRITE +${process.pid} \\S+ 120 `);
  return ownLock.test(readFileSync("/proc/locks", "latin1"));
}
