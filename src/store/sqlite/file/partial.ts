import { createHash, randomBytes } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from "node:fs";
import { hostname } from "node:os";
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
  const stats = statsOf(file);
  // A link, whatever it leads to, was made by somebody else.
  if (!match || !stats?.isFile()) return false;
  const [, space, pid, began] = match;
  if (space !== undefined && space === numberSpace) return !isRunning(Number(pid), began);
  return Date.now() - stats.mtimeMs > abandonedAfterMs;
}

/** Without a process there must be a letter in it: eight digits may be a date, in a name that a person has given. */
const partialName = /\.partial-(?:([0-9a-f]{8})-(\d+)-(\d+)-|(?=\d*[a-f]))[0-9a-f]{8}(?:-wal|-shm|-journal)?$/;
export const abandonedAfterMs = 24 * 60 * 60 * 1000;

/** Undefined as well if nothing can be found out about it, which must not stop what is to be done beside it. */
function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file);
  } catch {
    return undefined;
  }
}

/**
 * Within what the numbers of processes and their beginnings mean the same: one container, or what is outside of all, from one
 * start of the machine to the next. Copies of a virtual machine that was running share its start, so its name counts too. Only
 * Linux tells.
 */
const numberSpace = ((): string | undefined => {
  try {
    const start = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    // In a container that was given no /proc of its own, the numbers there are those of other processes.
    if (readlinkSync("/proc/self") !== String(process.pid)) return undefined;
    const space = [start, hostname(), readlinkSync("/proc/self/ns/pid"), timeNamespace()].join(" ");
    return createHash("sha256").update(space).digest("hex").slice(0, 8);
  } catch {
    return undefined;
  }
})();

/** In another one, the same process began at another time. Linux before 5.6 has but one. */
function timeNamespace(): string {
  try {
    return readlinkSync("/proc/self/ns/time");
  } catch {
    return "";
  }
}

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
