import { StoreOpenError } from "../../store.ts";
import { isFaultOfFile, looksDamaged, toFailure } from "../errors.ts";
import { damaged, findDamage, incomplete } from "./examine.ts";

/** One line for the operator, whatever it was that the file system or SQLite refused. */
export function explainOpenError(path: string, error: unknown): StoreOpenError {
  if (error instanceof StoreOpenError) return error;
  const apparent = toFailure(error);
  const failure = looksDamaged(apparent) ? findDamage(path) : apparent;
  const { code, message } = failure;
  if (looksDamaged(failure)) return damaged(path, message);
  if (code.startsWith("SQLITE_BUSY")) {
    return new StoreOpenError(`${path} is locked by another program. Stop that program, then start again.`);
  }
  const reason = code === "UNKNOWN" && error instanceof Error ? error.message : message;
  if (["SQLITE_FULL", "ENOSPC", "EDQUOT"].includes(code)) {
    return new StoreOpenError(`${path} cannot be written: the disk is full. Free some space, then start again.`);
  }
  if (isFaultOfFile(failure)) {
    return new StoreOpenError(
      `${path} cannot be used: the disk reported an error (${code}: ${message}). The file itself may be intact: see the log of the system, then try again.`,
    );
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
