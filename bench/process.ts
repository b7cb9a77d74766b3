import { existsSync, readFileSync } from "node:fs";

/** Processor time that processes have used so far, with all of their threads, in microseconds. */
export function cpuOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + cpuOfOne(pid), 0);
}

/** Processor time of those children of a process that have ended, on Linux, in microseconds. */
export function cpuOfEnded(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = statFields(file);
  return (Number(fields[13]) + Number(fields[14])) * microsecondsPerTick;
}

/** Memory that a process holds, in megabytes. */
export function residentMegabytes(pid: number): number {
  return Number(runText("ps", "-o", "rss=", "-p", String(pid))) / 1024;
}

/** A process with its children and theirs. */
export function withDescendants(pid: number): number[] {
  const children = runText("pgrep", "-P", String(pid)).split("\n").filter(Boolean).map(Number);
  return [pid, ...children.flatMap(withDescendants)];
}

export function runText(...command: string[]): string {
  const { stdout } = Bun.spawnSync(command, { stderr: "ignore" });
  return stdout.toString().trim();
}

/** The first line that a process prints. */
export async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0] ?? "";
}

/** Waits until something is so, or gives up. */
export async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 30_000;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > end) throw new Error(`${what} did not happen within 30 seconds.`);
    await Bun.sleep(2);
  }
}

function cpuOfOne(pid: number): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return cpuByPs(pid);
  const fields = statFields(file);
  return (Number(fields[11]) + Number(fields[12])) * microsecondsPerTick;
}

/** The name of the program, in brackets, may hold spaces; the fields are counted behind it. */
function statFields(file: string): string[] {
  return readFileSync(file, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
}

const microsecondsPerTick = 1_000_000 / Number(runText("getconf", "CLK_TCK") || "100");

/** Where there is no /proc, as on macOS: minutes:seconds.hundredths. */
function cpuByPs(pid: number): number {
  const parts = runText("ps", "-o", "cputime=", "-p", String(pid)).split(":").map(Number);
  return parts.reduce((sum, part) => sum * 60 + part, 0) * 1_000_000;
}
