import { existsSync, readdirSync, readFileSync } from "node:fs";

export function readOpenFileLimit(): number {
  const limits = "/proc/self/limits";
  const text = existsSync(limits)
    ? /^Max open files\s+(\S+)/m.exec(readFileSync(limits, "utf8"))?.[1]
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
