import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeIfPossible } from "./replace.ts";

/**
 * What a file is called until it is whole. It is in the folder of the file, so that it can take its name at one stroke. Where
 * that can be told, the name says which process writes it.
 */
export function partialOf(path: string): string {
  const began = statusOf(process.pid)?.began;
  const writer = numberSpace === undefined || began === undefined ? "" : `${numberSpace}-${process.pid}-${began}-`;
  return `${path}.partial-${writer}${randomBytes(4).toString("hex")}`;
}

/** Removes what was left of files that were to have this path by processes that were killed. */
export function removeLeftovers(path: string): void {
  const folder = dirname(path);
  const start = `${basename(path)}.partial-`;
  for (const name of namesIn(folder)) {
    if (name.startsWith(start) && isLeftover(join(folder, name))) removeIfPossible(join(folder, name));
  }
}

/**
 * Whether nobody goes on with a partial file. Of a process on another machine, in another container or before the last start of
 * this machine, it is not known whether it is running, only that it has not written for a day.
 */
export function isLeftover(file: string): boolean {
  const match = partialName.exec(file);
  if (!match) return false;
  const [, space, pid, began] = match;
  if (space !== undefined && space === numberSpace) return !isRunning(Number(pid), began);
  const { mtimeMs = Number.POSITIVE_INFINITY } = statSync(file, { throwIfNoEntry: false }) ?? {};
  return Date.now() - mtimeMs > abandonedAfterMs;
}

const partialName = /\.partial-(?:([0-9a-f]{8})-(\d+)-(\d+)-)?[0-9a-f]{8}(?:-wal|-shm|-journal)?$/;
const abandonedAfterMs = 24 * 60 * 60 * 1000;

/**
 * Within what the numbers of processes mean the same: one container, or what is outside of all, from one start of the machine
 * to the next. Only Linux tells.
 */
const numberSpace = ((): string | undefined => {
  try {
    const machine = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const container = readlinkSync("/proc/self/ns/pid");
    return createHash("sha256").update(`${machine} ${container}`).digest("hex").slice(0, 8);
  } catch {
    return undefined;
  }
})();

/** The number of a process may be given again, but not with the same beginning. */
function isRunning(pid: number, began: string | undefined): boolean {
  const status = statusOf(pid);
  if (status) return status.began === began && !status.hasEnded;
  try {
    // Where the processes of other users are hidden, this is refused for those that run.
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

interface ProcessStatus {
  /** In ticks of the system since its start. */
  readonly began: string | undefined;
  /** A process that was killed is still listed until its parent takes note. */
  readonly hasEnded: boolean;
}

/** As proc(5) has it. */
function statusOf(pid: number): ProcessStatus | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program, which may hold anything, ends at the last bracket.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { began: fields[19], hasEnded: fields[0] === "Z" || fields[0] === "X" };
  } catch {
    return undefined;
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
