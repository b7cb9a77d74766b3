import { chmodSync, closeSync, constants, fchmodSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { journalOf, logIndexOf, logOf } from "./paths.ts";
import { giveToOwnerOf } from "./replace.ts";

/** Creates an empty database file, and the folders above it, that only their owner can read. */
export function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, ownerOnly);
  // The mask of the process may have taken more away than others' rights.
  fchmodSync(file, ownerOnly);
  closeSync(file);
  giveToOwnerOf(dirname(path), path);
}

const ownerOnly = 0o600;

/** Takes from everybody but the owner what they may do with a database. SQLite gives new files beside it the same rights. */
export function tighten(path: string): void {
  for (const file of [path, logOf(path), logIndexOf(path), journalOf(path)]) {
    const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o077) !== 0) tryToTighten(file);
  }
}

/** A file of somebody else is that person's to protect; one that has just gone needs no protection. */
function tryToTighten(file: string): void {
  try {
    chmodSync(file, ownerOnly);
  } catch (error) {
    if (!["EPERM", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  }
}
