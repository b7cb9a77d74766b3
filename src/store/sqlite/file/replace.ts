import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fchmodSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from "node:fs";
import { dirname } from "node:path";

/** Creates a new, empty file that only its owner can read. */
export function createPartial(path: string): void {
  const file = openSync(path, "wx", ownerOnly);
  // The mask of the process may have taken more away than others' rights.
  fchmodSync(file, ownerOnly);
  closeSync(file);
}

/** Copies a file to a new one that only its owner can read, whatever the permissions of the original. */
export function copyToPartial(from: string, path: string): void {
  copyFileSync(from, path, constants.COPYFILE_EXCL);
  chmodSync(path, ownerOnly);
}

const ownerOnly = 0o600;

/** Gives a file its name, whole and on the disk, also if the power fails. What had the name is replaced at one stroke. */
export function putInPlace(partial: string, path: string): void {
  flush(partial);
  renameSync(partial, path);
  flush(dirname(path));
}

/** Removes what was not to stay. Where that is not possible, something else has gone wrong already, which is to be told of. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

function flush(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
