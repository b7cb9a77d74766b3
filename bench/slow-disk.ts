import { chmodSync } from "node:fs";
import { preload } from "../test/support/preload.ts";

/** The environment of a process whose every flush to the disk takes so much longer, or why that cannot be had here. */
export function slowDisk(folder: string, milliseconds: number): Record<string, string> | string {
  // PostgreSQL may run as another user, who is to find it there.
  chmodSync(folder, 0o755);
  return preload(folder, shim(milliseconds));
}

/** Stands before the C library's own functions, and waits before it calls them. */
function shim(milliseconds: number): string {
  const wrap = (name: string) =>
    `int ${name}(int file) { static int (*own)(int); if (!own) own = dlsym(RTLD_NEXT, "${name}"); usleep(${milliseconds * 1000}); return own(file); }`;
  return `#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <unistd.h>\n${wrap("fsync")}\n${wrap("fdatasync")}\n`;
}
