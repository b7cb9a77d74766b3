import { type ChildProcess, spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CanStart } from "./concurrency.ts";
import { type Counts, readCounts } from "./junit.ts";

/** A process of the suite: a check that passes or fails as a whole, or a test file. */
export interface Job {
  readonly name: string;
  readonly command: readonly string[];
  readonly folder: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** True for `bun test`, whose tests can be counted. */
  readonly hasTests: boolean;
}

/** Time limit of a job. Even a job of several files takes far less, so only a hanging job reaches this limit. */
const maxJobMs = 45 * 60_000;

export interface Total extends Counts {
  /** Duration of each job in milliseconds, by name. */
  readonly durations: Record<string, number>;
}

/** Starts the jobs in order, as soon as `canStart` allows another job. Prints the output of a failed job in one piece. */
export async function runJobs(jobs: readonly Job[], canStart: CanStart, print: (text: string) => void): Promise<Total> {
  const waitingJobs = [...jobs];
  const total: Total = { passed: 0, failed: [], skipped: [], durations: {} };
  const run = async (job: Job) => {
    const { counts, output, milliseconds } = await runJob(job);
    if (counts.failed.length > 0) print(`\n${output.trimEnd()}`);
    print(formatResult(job, counts, milliseconds));
    total.passed += counts.passed;
    total.durations[job.name] = milliseconds;
    for (const key of ["failed", "skipped"] as const) {
      total[key].push(...counts[key].map((name) => `${job.name}: ${name}`));
    }
  };
  const inFlight = new Set<Promise<void>>();
  while (waitingJobs.length > 0 || inFlight.size > 0) {
    while (waitingJobs.length > 0 && canStart(inFlight.size)) {
      const job = waitingJobs.shift() as Job;
      const done = run(job).finally(() => inFlight.delete(done));
      inFlight.add(done);
    }
    await Promise.race([...inFlight, ...(waitingJobs.length > 0 ? [Bun.sleep(pollIntervalMs)] : [])]);
  }
  return total;
}

const pollIntervalMs = 500;

export function killJobs(): void {
  for (const child of runningChildren) killGroup(child);
}

const runningChildren = new Set<ChildProcess>();

async function runJob(job: Job): Promise<{ counts: Counts; output: string; milliseconds: number }> {
  const report = join(tmpdir(), `animal-store-report-${process.pid}-${++reportCount}.xml`);
  const reporterArgs = job.hasTests ? ["--reporter=junit", `--reporter-outfile=${report}`] : [];
  const start = performance.now();
  const { output, failure } = await runToEnd(job, reporterArgs);
  const milliseconds = performance.now() - start;
  const counts = job.hasTests ? await readCounts(report) : { passed: failure ? 0 : 1, failed: [], skipped: [] };
  rmSync(report, { force: true });
  const isEmpty = counts.passed + counts.failed.length + counts.skipped.length === 0;
  // A crash that names no test must not look like a success, nor must a file that ran no test.
  if (counts.failed.length === 0 && (failure || isEmpty)) counts.failed.push(failure ?? "no test was run");
  return { counts, output, milliseconds };
}

let reportCount = 0;

/** Returns the output of the process and, if the process failed, the signal or the exit code. */
async function runToEnd(job: Job, args: readonly string[]): Promise<{ output: string; failure: string | undefined }> {
  const [program = "", ...rest] = job.command;
  const child = spawn(program, [...rest, ...args], {
    cwd: job.folder,
    env: { ...process.env, ...job.environment },
    stdio: ["ignore", "pipe", "pipe"],
    // Starts a process group, so that the process and its descendants can be killed together.
    detached: true,
  });
  runningChildren.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  }
  let hasTimedOut = false;
  const timer = setTimeout(() => {
    hasTimedOut = true;
    killGroup(child);
  }, maxJobMs);
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  child.once("close", close);
  const failure = await new Promise<string | undefined>((resolve) => {
    child.once("error", ({ message }) => {
      close();
      resolve(message);
    });
    child.once("exit", (code, signal) => resolve(code === 0 ? undefined : `it ended with ${signal ?? code}`));
  });
  clearTimeout(timer);
  runningChildren.delete(child);
  // Descendants must neither disturb other jobs nor hold the output open.
  killGroup(child);
  await closed;
  return { output, failure: hasTimedOut ? `it did not end within ${maxJobMs / 60_000} minutes` : failure };
}

function killGroup({ pid }: ChildProcess): void {
  if (!pid) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // The process has already ended.
  }
}

function formatResult({ name, hasTests }: Job, { passed, failed, skipped }: Counts, milliseconds: number): string {
  const parts = [
    ...(hasTests && passed > 0 ? [`${passed} passed`] : []),
    ...(failed.length > 0 ? [`${failed.length} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
    `${(milliseconds / 1000).toFixed(1)} s`,
  ];
  return `${failed.length > 0 ? "FAILED" : "ok    "} ${name} (${parts.join(", ")})`;
}
