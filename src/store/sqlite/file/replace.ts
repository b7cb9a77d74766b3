import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join, parse } from "node:path";
import { pipeline } from "node:stream/promises";

/** Creates a new, empty file that only its owner can read. */
export function createPartial(path: string): void {
  const file = openSync(path, "wx", ownerOnly);
  // The mask of the process may have taken more away than others' rights.
  fchmodSync(file, ownerOnly);
  closeSync(file);
}

/**
 * Copies a file to a new one that only its owner can read, whatever the permissions of the original. Throws the signal's reason,
 * or an error that it was aborted.
 */
export async function copyToPartial(from: string, path: string, signal: AbortSignal): Promise<void> {
  createPartial(path);
  const highWaterMark = 1024 * 1024;
  await pipeline(createReadStream(from, { highWaterMark }), createWriteStream(path, { flags: "r+" }), { signal });
}

const ownerOnly = 0o600;

/**
 * What root puts into the folder of a service is for that service to use: it gets the owner of what was there, or of the folder.
 * The folder's owner may have put something else in its place meanwhile, which must not be given away.
 */
export function giveToOwnerOf(place: string, path: string): void {
  if (process.geteuid?.() !== 0) return;
  const { uid, gid } = statSync(place);
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    if (fstatSync(file).nlink === 1) fchownSync(file, uid, gid);
  } finally {
    closeSync(file);
  }
}

/** Gives a file its name, whole and on the disk, also if the power fails. What had the name is replaced at one stroke. */
export function putInPlace(partial: string, path: string): void {
  flush(partial);
  // A folder that cannot be flushed is found out before anything has changed.
  const folder = openSync(dirname(path), "r");
  try {
    renameSync(partial, path);
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** Does the same, but leaves a file that has the name already, and adds a number to it then. Returns the name. */
export function putBeside(partial: string, path: string): string {
  const { dir, name, ext } = parse(path);
  for (let turn = 1; ; turn++) {
    const free = turn === 1 ? path : join(dir, `${name}-${turn}${ext}`);
    if (!take(free)) continue;
    try {
      putInPlace(partial, free);
      return free;
    } catch (error) {
      removeIfPossible(free);
      throw error;
    }
  }
}

/** Makes an empty file, unless there is one. Of several processes, one succeeds, also where files cannot have two names. */
function take(path: string): boolean {
  try {
    createPartial(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Removes what was not to stay. Where that is not possible, something else has gone wrong already, which is to be told of. */
export function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}

/** Has it on the disk, also if the power fails. */
export function flush(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
