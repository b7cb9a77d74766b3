import { existsSync, readFileSync } from "node:fs";

/** Returns the processor time of all threads of the processes, in microseconds. */
export function readCpu(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + readCpuOfOne(pid), 0);
}

/** Returns the processor time of a process's children that have ended, in microseconds. Returns 0 on systems other than Linux. */
export function readCpuOfEndedChildren(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = readStatFields(file);
  return (Number(fields[13]) + Number(fields[14])) * microsecondsPerTick;
}

export function readResidentMegabytes(pid: number): number {
  return Number(readOutput("ps", "-o", "rss=", "-p", String(pid))) / 1024;
}

export function listProcessTree(pid: number): number[] {
  const children = readOutput("pgrep", "-P", String(pid)).split("\n").filter(Boolean).map(Number);
  return [pid, ...children.flatMap(listProcessTree)];
}

export function readOutput(...command: string[]): string {
  const { stdout } = Bun.spawnSync(command, { stderr: "ignore" });
  return stdout.toString().trim();
}

export async function readFirstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}

export async function waitUntil(what: string, condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await condition().catch(() => false))) {
    if (performance.now() > end) throw new Error(`${what} did not happen within 30 seconds.`);
    await Bun.sleep(2);
  }
}

function readCpuOfOne(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return readCpuByPs(pid);
  const fields = readStatFields(file);
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
}

/** Returns the fields of a `/proc` stat file after the program's name. The name is in parentheses, and may contain spaces. */
function readStatFields(file: string): string[] {
  return readFileSync(file, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
}

const microsecondsPerTick = 1_000_000 / Number(readOutput("getconf", "CLK_TCK") || "100");

/** Returns the processor time on systems without /proc, such as macOS. `ps` prints minutes:seconds.hundredths. */
function readCpuByPs(pid: number): number {
  const parts = readOutput("ps", "-o", "cputime=", "-p", String(pid)).split(":").map(Number);
  return parts.reduce((sum, part) => sum * 60 + part, 0) * 1_000_000;
}
