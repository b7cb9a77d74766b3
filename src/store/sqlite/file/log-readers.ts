import { readFileSync, statSync } from "node:fs";
import type { Note } from "../../store.ts";
import { usualLogBytes } from "../connection/connect.ts";
import { logIndexOf, logOf, sizeOf } from "./paths.ts";

/** Returns a function that logs which read transactions keep SQLite from starting a long WAL over, each of them once. */
export function watchLogReaders(path: string, note: Note, ownName: () => string | undefined): () => void {
  let known = new Set<number>();
  return () => {
    const walBytes = sizeOf(logOf(path));
    const readers = walBytes > maxLogBytes ? readersOfLog(path) : [];
    for (const pid of readers) {
      const name = pid === process.pid ? ownName() : commandOf(pid);
      if (name === undefined || known.has(pid)) continue;
      note("warn", "a read transaction keeps the WAL from being started over", { transaction: name, pid, walBytes });
    }
    known = new Set(readers);
  };
}

const maxLogBytes = 4 * usualLogBytes;

/** The processes that lock one of SQLite's read marks, bytes 123 to 127 of the index of the WAL. Only Linux lists locks. */
function readersOfLog(path: string): number[] {
  try {
    const { ino } = statSync(logIndexOf(path));
    const lock = new RegExp(`POSIX +ADVISORY +READ +(\\d+) [0-9a-f]+:[0-9a-f]+:${ino} 12[3-7] `, "g");
    return [...readFileSync("/proc/locks", "utf8").matchAll(lock)].map(([, pid]) => Number(pid));
  } catch {
    // Elsewhere, no names are known.
    return [];
  }
}

/** The first words of the command line, without flags. */
function commandOf(pid: number): string {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words
      .filter((word) => word !== "" && !word.startsWith("-"))
      .slice(0, maxWords)
      .join(" ");
  } catch {
    // The process has ended, or belongs to another user.
    return "unknown";
  }
}

const maxWords = 3;
