import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { StoreOpenError } from "../../store.ts";
import { isDamage, toFailure } from "../errors.ts";
import { damaged, incomplete } from "./examine.ts";

/** One line for the operator, whatever it was that the file system or SQLite refused. */
export function explainOpenError(path: string, error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const failure = toFailure(error);
  const { code, message } = failure;
  if (isDamage(failure)) return damaged(path, message);
  if (code.startsWith("SQLITE_BUSY")) {
    return new StoreOpenError(`${path} is locked by another program. Stop that program, then start again.`);
  }
  const reason = code === "UNKNOWN" && error instanceof Error ? error.message : message;
  if (
    code === "SQLITE_FULL" ||
    /^ENOSPC|^EDQUOT/.test(reason) ||
    (code.startsWith("SQLITE_IOERR") && isDiskFull(path))
  ) {
    return new StoreOpenError(`${path} cannot be written: the disk is full. Free some space, then start again.`);
  }
  if (/^no such (table|column): | because it is a view$/.test(reason)) return incomplete(path, reason);
  const advice = remedies.find(([pattern]) => pattern.test(reason))?.[1];
  return new StoreOpenError(`${path} cannot be opened for writing: ${reason}.${advice ? ` ${advice}` : ""}`);
}

const remedies: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [/^EROFS/, "Mount its file system for writing, or choose another place."],
  [/^EACCES|^EPERM/, "Give the user that runs this program the right to read and write the file and its folder."],
  [/^EBUSY/, "If the file itself is mounted, mount its folder instead."],
];

/** Where SQLite has no room for its shared memory, it speaks of an I/O error only. */
function isDiskFull(path: string): boolean {
  const folder = dirname(path);
  if (!existsSync(folder)) return false;
  const { bavail, bsize, blocks } = statfsSync(folder);
  // Some file systems, such as /proc, have no size at all.
  return blocks > 0 && bavail * bsize < sharedMemoryBytes;
}

const sharedMemoryBytes = 32 * 1024;
