import { spawnSync } from "node:child_process";
import { join } from "node:path";

export interface Diagnostic {
  readonly file: string;
  readonly line: number;
  readonly text: string;
}

/** Compiles files together, because starting the compiler takes longer than compiling most programs. Returns all errors. */
export function compile(folder: string, files: readonly string[], flags: readonly string[]): Diagnostic[] {
  const compiler = join(import.meta.dir, "../../node_modules/.bin/tsc");
  const args = ["--strict", "--pretty", "false", ...flags, ...files];
  const { status, stdout, stderr } = spawnSync(compiler, args, { cwd: folder, encoding: "utf8" });
  const diagnostics = [...stdout.matchAll(/^(\S.*?)\((\d+),\d+\): (.*)$/gm)].map(([, file = "", line, text = ""]) => {
    return { file, line: Number(line), text };
  });
  const isParsed = diagnostics.length > 0 && !/^error /m.test(stdout);
  if (status !== 0 && !isParsed) throw new Error(`tsc ${args.join(" ")} ended with ${status}: ${stdout}${stderr}`);
  return diagnostics;
}
