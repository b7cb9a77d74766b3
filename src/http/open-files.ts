import { existsSync, readdirSync, readFileSync } from "node:fs";

/** How many files the process may have open at once, connections among them. */
export function readOpenFileLimit(): number {
  const limits = "/proc/self/limits";
  const [, text = ""] = existsSync(limits)
    ? (/^Max open files\s+(\S+)/m.exec(readFileSync(limits, "utf8")) ?? [])
    : [undefined, Bun.spawnSync(["sh", "-c", "ulimit -n"]).stdout.toString().trim()];
  return text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text);
}

/** How many it has open. To look takes one more; where there is none left, it has as many open as it may. */
export function openFiles(limit: number): number {
  try {
    return readdirSync("/dev/fd").length;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EMFILE" ? limit : 0;
  }
}
