import { closeSync, openSync, readSync } from "node:fs";
import { logOf, sizeOf } from "./paths.ts";

/** What a log says that the database is after its last commit. */
export interface Logged {
  /** How many pages the database has. */
  readonly pageCount: number;
  /** The numbers of the pages that the log has, which may be missing in the file. */
  readonly pages: ReadonlySet<number>;
}

/** Reads the log beside a database, as https://www.sqlite.org/walformat.html has it. Undefined if nothing was committed to it. */
export function readLog(path: string): Logged | undefined {
  if (sizeOf(logOf(path)) < logHeaderBytes) return undefined;
  const file = openSync(logOf(path), "r");
  try {
    return readFrames(file);
  } finally {
    closeSync(file);
  }
}

/** Whether the database has a page that is neither among the first ones, which are in the file, nor in the log. */
export function isAnyPageMissing(inFile: number, { pageCount, pages }: Logged): boolean {
  for (let page = inFile + 1; page <= pageCount; page++) if (!pages.has(page)) return true;
  return false;
}

function readFrames(file: number): Logged | undefined {
  const header = Buffer.alloc(logHeaderBytes);
  readSync(file, header, 0, logHeaderBytes, 0);
  const frameLength = frameHeaderBytes + header.readUInt32BE(8);
  const salts = header.subarray(16, 24);
  const frame = Buffer.alloc(frameHeaderBytes);
  const pages = new Set<number>();
  const uncommitted: number[] = [];
  let pageCount = 0;
  for (
    let at = logHeaderBytes;
    readSync(file, frame, 0, frameHeaderBytes, at) === frameHeaderBytes;
    at += frameLength
  ) {
    // Behind the last frame there may be others, which an earlier round has left.
    if (!frame.subarray(8, 16).equals(salts)) break;
    uncommitted.push(frame.readUInt32BE(0));
    const countAfterCommit = frame.readUInt32BE(4);
    if (countAfterCommit === 0) continue;
    for (const page of uncommitted.splice(0)) pages.add(page);
    pageCount = countAfterCommit;
  }
  return pageCount === 0 ? undefined : { pageCount, pages };
}

/** How long a log with so many frames is at least. */
export function logLength({ frames, pageSize }: { readonly frames: number; readonly pageSize: number }): number {
  return frames === 0 ? 0 : logHeaderBytes + frames * (frameHeaderBytes + pageSize);
}

const logHeaderBytes = 32;
const frameHeaderBytes = 24;
