import { chmodSync } from "node:fs";
import { compilePreload } from "../test/support/preload.ts";

/** Returns environment variables that delay a process's flushes to the disk, or the reason why this machine cannot delay flushes. */
export function createSlowDiskEnvironment(folder: string, milliseconds: number): Record<string, string> | string {
  // PostgreSQL may run as another user, who must be able to read the library.
  chmodSync(folder, 0o755);
  return compilePreload(folder, createShimSource(milliseconds));
}

function createShimSource(milliseconds: number): string {
  const wrapFunction = (name: string) =>
    `int ${name}(int file) { static int (*own)(int); if (!own) own = dlsym(RTLD_NEXT, "${name}"); usleep(${milliseconds * 1000}); return own(file); }`;
  return `#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <unistd.h>\n${wrapFunction("fsync")}\n${wrapFunction("fdatasync")}\n`;
}
