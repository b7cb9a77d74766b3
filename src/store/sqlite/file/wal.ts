import { readSync, statSync, writeFileSync } from "node:fs";
import { newPartialPath, removeIfPossible, withFile } from "../../../base/files.ts";
import { isFullDisk } from "../errors.ts";
import { sizeOf, walIndexOf, walOf } from "./database-files.ts";

/** Returns the number of pages of the database after the last commit, and the numbers of the pages in the WAL (see walformat.html of SQLite). */
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

export const walHeaderBytes = 32;
export const frameHeaderBytes = 24;

/** Throws ENOSPC if the disk has no space for the index of the WAL: a write to the memory-mapped index would then kill the process. */
export function requireWalIndexSpace(path: string): void {
  // SQLite reuses the blocks of an index that a killed process has left.
  const existingBlocks = statSync(walIndexOf(path), { throwIfNoEntry: false })?.blocks ?? 0;
  const needed = walIndexBytes(sizeOf(walOf(path)) / minFrameBytes) - existingBlocks * 512;
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

/** Returns the length of an index of the WAL, with one region to spare. */
export function walIndexBytes(frames: number): number {
  return (Math.floor(frames / framesInRegion) + 2) * regionBytes;
}

const regionBytes = 32 * 1024;
const framesInRegion = 4096;
