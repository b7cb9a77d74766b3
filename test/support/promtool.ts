import { existsSync } from "node:fs";

const promtoolPath = [process.env["PROMTOOL_PATH"], Bun.which("promtool")].find((place) => place && existsSync(place));

export const promtoolSkipReason = promtoolPath
  ? undefined
  : "there is no promtool here: install it (the package prometheus of Debian, Ubuntu and Homebrew), or give its path in PROMTOOL_PATH";

/** Runs promtool, which prints nothing if the input is valid. */
export function runPromtool(args: readonly string[], input = ""): { exitCode: number; output: string } {
  const { exitCode, stdout, stderr } = Bun.spawnSync([promtoolPath ?? "", ...args], { stdin: Buffer.from(input) });
  return { exitCode, output: `${stdout}${stderr}` };
}
