import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Returns the environment in which C code replaces functions of the C library, or the reason why this machine cannot do so. */
export function compilePreload(folder: string, source: string): Record<string, string> | string {
  if (process.platform !== "linux") return "it is done by LD_PRELOAD, which only Linux has";
  const compiler = Bun.which("cc") ?? Bun.which("gcc");
  if (!compiler) return "it needs a C compiler, and there is none";
  const file = join(folder, "preload.c");
  const library = join(folder, "preload.so");
  writeFileSync(file, source);
  const { exitCode, stderr } = Bun.spawnSync([compiler, "-shared", "-fPIC", "-o", library, file, "-ldl"]);
  return exitCode === 0 ? { LD_PRELOAD: library } : `the shim did not compile: ${stderr}`;
}
