import { readFileSync, statSync } from "node:fs";
import { ifPossible } from "../../../base/files.ts";
import type { Note } from "../../store.ts";
import { defaultWalBytes } from "../connection/connect.ts";
import { sizeOf, walIndexOf, walOf } from "./database-files.ts";

/** Returns a function that logs each process whose read transaction keeps SQLite from restarting a long WAL, once per process. */
export function watchWalReaders(path: string, note: Note, isExporting: () => boolean): () => void {
  const logged = new Set<number>();
  return () => {
    const walBytes = sizeOf(walOf(path));
    if (walBytes <= 4 * defaultWalBytes) return logged.clear();
    for (const pid of findWalReaders(path)) {
      // Unlike exports, other reads of the service take no longer than a tick.
      if (logged.has(pid) || (pid === process.pid && !isExporting())) continue;
      logged.add(pid);
      const words = readIfPossible(`/proc/${pid}/cmdline`).split("\0");
      const command = words.filter((word) => !word.startsWith("-")).slice(0, 3);
      const reader = pid === process.pid ? "export" : command.join(" ");
      note("warn", "a read transaction keeps the WAL from being started over", { transaction: reader, pid, walBytes });
    }
  };
}

/** Returns the processes that lock one of SQLite's read marks, bytes 123 to 127 of the index of the WAL. */
function findWalReaders(path: string): number[] {
  const inode = statSync(walIndexOf(path), { throwIfNoEntry: false })?.ino;
  const locks = readIfPossible("/proc/locks").matchAll(/READ +(\d+) [0-9a-f:]+:(\d+) 12[3-7] /g);
  return [...locks].filter(([, , locked]) => Number(locked) === inode).map(([, pid]) => Number(pid));
}

/** True if this process holds SQLite's write lock, on byte 120 of the index of the WAL. Always false without /proc/locks. */
export function hasWriteLock(): boolean {
  return new RegExp(`POSIX +ADVISORY +WRITE +${process.pid} \\S+ 120 `).test(readIfPossible("/proc/locks"));
}

/** Returns an empty text for a missing file: only Linux has these files, and a process that has ended has none. */
function readIfPossible(file: string): string {
  return ifPossible(() => readFileSync(file, "utf8")) ?? "";
}
