import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

interface ProcessEntry {
  readonly pid: number;
  readonly parent: number;
  /** The state in the notation of ps, in which the state of a zombie begins with Z. */
  readonly state: string;
}

// Small Linux images have no ps, and other systems have no /proc.
const hasProc = process.platform === "linux";

export function isRunning(pid: number): boolean {
  const entries = hasProc ? readEntries(pid) : listByPs();
  return entries.some((entry) => entry.pid === pid && !entry.state.startsWith("Z"));
}

export function listChildren(pid: number): number[] {
  const entries = hasProc ? readdirSync("/proc").flatMap((name) => readEntries(Number(name))) : listByPs();
  return entries.filter(({ parent }) => parent === pid).map((child) => child.pid);
}

/** Returns the process as a list, which is empty if there is no such process. */
function readEntries(pid: number): ProcessEntry[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program, in parentheses, may contain spaces.
    const [state = "", parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [{ pid, parent: Number(parent), state }];
  } catch {
    return [];
  }
}

function listByPs(): ProcessEntry[] {
  const { stdout } = spawnSync("ps", ["-A", "-o", "pid=", "-o", "ppid=", "-o", "stat="], { encoding: "utf8" });
  return stdout
    .trim()
    .split("\n")
    .map((line) => {
      const [pid, parent, state = ""] = line.trim().split(/ +/);
      return { pid: Number(pid), parent: Number(parent), state };
    });
}
