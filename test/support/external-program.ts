import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "./program.ts";

/** Finds a program through an environment variable such as HAPROXY_PATH, in PATH, or in /usr/sbin, where Debian puts servers. */
export function findProgram(name: string): string | undefined {
  const candidates = [process.env[`${name.toUpperCase()}_PATH`], Bun.which(name), `/usr/sbin/${name}`];
  return candidates.find((path) => path && existsSync(path)) ?? undefined;
}

/** Returns the text that a pattern captures in a guide, such as the configuration in a code block. */
export function readGuideBlock(guide: string, block: RegExp): string {
  const [, text] = block.exec(readFileSync(join(projectFolder, "docs", guide), "utf8")) ?? [];
  if (!text) throw new Error(`${guide} has no block ${block}.`);
  return text;
}

export async function killAndRemove(child: ChildProcess, folder: string): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  }
  rmSync(folder, { recursive: true, force: true });
}
