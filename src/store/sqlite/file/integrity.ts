import type { Database } from "bun:sqlite";
import { failedRead, looksDamaged, ReportedFailure, toFailure } from "../errors.ts";

/**
 * Lists the damage in a file, on a connection that has read nothing before. Throws an I/O error if the disk reported one, because
 * then nothing is known. A single failed read may look like damage as well, so only a problem that is found twice is listed.
 */
export function findProblems(database: Database, check: `${"integrity" | "quick"}_check(${number})`): string[] {
  return listProblems(database, check).length === 0 ? [] : listProblems(database, check);
}

function listProblems(database: Database, check: string): string[] {
  let lines: string[];
  try {
    lines = database.query<Record<string, string>, []>(`PRAGMA ${check}`).all().flatMap(Object.values);
  } catch (error) {
    if (!looksDamaged(toFailure(error))) throw error;
    lines = [toFailure(error).message];
  }
  const errno = new Int32Array(2);
  database.fileControl(lastErrno, errno);
  // SQLite keeps the error of a failed read of the file, and lists one of the log with a code whose low byte is that of IOERR.
  const isUnreadable = (line: string) => (Number(/error code=(\d+)/.exec(line)?.[1]) & 0xff) === 10;
  if (failedReads.includes(errno[0] ?? 0) || lines.some(isUnreadable)) throw new ReportedFailure(failedRead);
  return lines.filter((line) => line !== "ok").map((line) => line.replace(/^\*\*\*.*\n/, "").replaceAll("\n", " "));
}

/** SQLITE_FCNTL_LAST_ERRNO. */
const lastErrno = 4;
/** EIO, ENXIO and ERANGE, which SQLite reports as corruption. */
const failedReads = [5, 6, 34];
