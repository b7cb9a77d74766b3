import { statSync, writeFileSync } from "node:fs";
import { logIndexBytes } from "./log-index.ts";
import { partialOf } from "./partial.ts";
import { logIndexOf, logOf, sizeOf } from "./paths.ts";
import { removeIfPossible } from "./replace.ts";

/**
 * Throws ENOSPC if the disk has no room for the index of the log. SQLite writes to it in mapped memory, and the kernel ends a process
 * that does so on a full disk. The room is tried out, because quotas and reserved blocks make the number of free blocks misleading.
 */
export function requireRoom(path: string): void {
  // A process that was killed has left an index, which SQLite empties, and whose blocks it uses again.
  const left = statSync(logIndexOf(path), { throwIfNoEntry: false })?.blocks ?? 0;
  const needed = logIndexBytes(sizeOf(logOf(path)) / minFrameBytes) - left * 512;
  const probe = partialOf(path);
  try {
    if (needed > 0) writeFileSync(probe, Buffer.alloc(needed), { flag: "wx", mode: 0o600 });
  } catch (error) {
    // SQLite reports all other problems, if they matter.
    if (["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    removeIfPossible(probe);
  }
}

const minFrameBytes = 4096 + 24;
