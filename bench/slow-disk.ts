import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** The environment of a process whose every flush to the disk takes so much longer, or why that cannot be had here. */
export function slowDisk(folder: string, milliseconds: number): Record<string, string> | string {
  if (process.platform !== "linux") return "it is done by LD_PRELOAD, which only Linux has";
  const compiler = Bun.which("cc") ?? Bun.which("gcc");
  if (!compiler) return "it needs a C compiler, and there is none";
  const source = join(folder, "slow-disk.c");
  const library = join(folder, "slow-disk.so");
  writeFileSync(source, shim(milliseconds));
  // PostgreSQL may run as another user, who is to find it there.
  chmodSync(folder, 0o755);
  const { exitCode, stderr } = Bun.spawnSync([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"]);
  return exitCode === 0 ? { LD_PRELOAD: library } : `the shim did not compile: ${stderr}`;
}

/** Stands before the C library's own functions, and waits before it calls them. */
function shim(milliseconds: number): string {
  const wrap = (name: string) =>
    `int ${name}(int file) { static int (*own)(int); if (!own) own = dlsym(RTLD_NEXT, "${name}"); usleep(${milliseconds * 1000}); return own(file); }`;
  return `#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <unistd.h>\n${wrap("fsync")}\n${wrap("fdatasync")}\n`;
}
