import { existsSync, readdirSync, readFileSync } from "node:fs";

export function readOpenFileLimit(): number {
  const limitsFile = "/proc/self/limits";
  const text = existsSync(limitsFile)
    ? /^Max open files\s+(\S+)/m.exec(readFileSync(limitsFile, "utf8"))?.[1]
    : Bun.spawnSync(["sh", "-c", "ulimit -n"]).stdout.toString().trim();
  return text === "unlimited" ? Number.POSITIVE_INFINITY : Number(text ?? "");
}

/** Returns the number of open files. Counting opens another file, so EMFILE means that the limit is reached. */
export function countOpenFiles(limit: number): number {
  try {
    return readdirSync("/dev/fd").length;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EMFILE" ? limit : 0;
  }
}
