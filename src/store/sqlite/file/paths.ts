import { existsSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** SQLite's write-ahead log: what was committed and is not in the file yet. */
export function logOf(path: string): string {
  return `${path}-wal`;
}

/** What all processes that have the file open know of the log. */
export function logIndexOf(path: string): string {
  return `${path}-shm`;
}

/** What the file was before a change that has not been finished. Only a file that is being made has one. */
export function journalOf(path: string): string {
  return `${path}-journal`;
}

/** 0 also for a file that is not there. */
export function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** The nearest folder above a file that exists: the other folders are created in it. */
export function existingFolderOf(path: string): string {
  let folder = dirname(resolve(path));
  while (!existsSync(folder)) folder = dirname(folder);
  return folder;
}
