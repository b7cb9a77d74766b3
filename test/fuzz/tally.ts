import type { Case } from "./cases.ts";
import type { WireResponse } from "./responses.ts";

export class Tally {
  caseCount = 0;
  acceptedEventCount = 0;
  seconds = 0;
  /** True if the run should stop, because further cases would reveal nothing new. */
  shouldStop = false;
  /** Messages about failures. A repeated failure is listed only a few times. */
  readonly failures: string[] = [];
  readonly notes: string[] = [];
  /** Milliseconds from sending a request to the beginning of its response. */
  readonly latencies: number[] = [];
  /** Durations of requests in milliseconds, as logged by the service. */
  readonly serviceMs: number[] = [];
  /** Memory of the service in bytes, sampled at regular steps. */
  readonly memorySamples: number[] = [];
  readonly #counts = new Map<string, Map<string, number>>();

  constructor(readonly seed: number) {}

  count(category: string, name: string, times = 1): void {
    const counts = this.#counts.get(category) ?? new Map<string, number>();
    counts.set(name, (counts.get(name) ?? 0) + times);
    this.#counts.set(category, counts);
  }

  countsOf(category: string): ReadonlyMap<string, number> {
    return this.#counts.get(category) ?? new Map();
  }

  failCase(fuzzCase: Case, problem: string, responses: readonly WireResponse[], rest: Buffer = Buffer.alloc(0)): void {
    if (!this.#recordFailure(problem)) return;
    this.failures.push(`${problem}\n${formatTranscript(this.seed, fuzzCase, responses, rest)}`);
  }

  /** Records a failure that belongs to no single case. */
  failRun(problem: string): void {
    if (this.#recordFailure(problem)) this.failures.push(problem);
  }

  /** Growth of the median memory, in bytes, from the second to the last quarter of the run. The service warms up in the first quarter. */
  get growth(): number {
    const quarter = Math.floor(this.memorySamples.length / 4);
    return (
      percentile(this.memorySamples.slice(-quarter), 50) -
      percentile(this.memorySamples.slice(quarter, 2 * quarter), 50)
    );
  }

  get report(): string {
    const formatCounts = (category: string) =>
      [...this.countsOf(category)].sort().map(([name, times]) => `${name} ${times}`);
    const formatTimes = (values: readonly number[]) =>
      `p50 ${percentile(values, 50).toFixed(1)}, p99 ${percentile(values, 99).toFixed(1)}, max ${percentile(values, 100).toFixed(1)} ms`;
    const megabytes = this.memorySamples.map((bytes) => Math.round(bytes / 2 ** 20));
    return [
      `${this.caseCount} cases of FUZZ_SEED=${this.seed} in ${this.seconds.toFixed(1)} s, ${Math.round(this.caseCount / this.seconds)} per second`,
      ...[...this.#counts.keys()].sort().map((category) => `  ${category}: ${formatCounts(category).join(", ")}`),
      `  time to a required response: ${formatTimes(this.latencies)}; by the service's own clock: ${formatTimes(this.serviceMs)}`,
      `  memory: ${megabytes.filter((_, index) => index % 10 === 0).join(", ")} MiB, growth ${Math.round(this.growth / 2 ** 20)} MiB`,
      ...this.notes.map((note) => `  ${note}`),
    ].join("\n");
  }

  #recordFailure(problem: string): boolean {
    const name = problem.replace(/\d+/g, "#").slice(0, 60);
    this.count("failures", name);
    const times = this.countsOf("failures").get(name) ?? 0;
    if (times >= maxOccurrences) this.shouldStop = true;
    return times <= maxReported;
  }
}

const maxReported = 3;
const maxOccurrences = 1_000;

export function formatTranscript(
  seed: number,
  fuzzCase: Case,
  responses: readonly WireResponse[],
  rest: Buffer = Buffer.alloc(0),
): string {
  const sent = fuzzCase.writes.map((bytes) => `    ${quote(bytes)}`);
  const received = responses.map(
    ({ status, headers, body }) => `    ${status} ${JSON.stringify(headers)} ${quote(body.subarray(0, 500))}`,
  );
  if (rest.length > 0) received.push(`    and ${quote(rest)}`);
  return [
    `  To run this case alone: FUZZ_SEED=${seed} FUZZ_ONLY=${fuzzCase.index} npx bun test test/fuzz/fuzz.test.ts`,
    `  Sent (${fuzzCase.kind}):\n${sent.join("\n")}`,
    received.length > 0 ? `  Received:\n${received.join("\n")}` : "  Nothing was received.",
  ].join("\n");
}

/** Formats bytes as a JavaScript expression; long repetitions are written once. */
function quote(bytes: Buffer): string {
  const parts: string[] = [];
  let rest = bytes.toString("latin1");
  for (let run = longRunPattern.exec(rest); run; run = longRunPattern.exec(rest)) {
    const [whole, unit = ""] = run;
    if (run.index > 0) parts.push(quoteText(rest.slice(0, run.index)));
    parts.push(`${quoteText(unit)}.repeat(${whole.length / unit.length})`);
    rest = rest.slice(run.index + whole.length);
  }
  if (rest !== "" || parts.length === 0) parts.push(quoteText(rest));
  return parts.join(" + ");
}

const longRunPattern = /(.{1,5}?)\1{29,}/s;

function quoteText(text: string): string {
  return JSON.stringify(text).replace(/[\x7f-\xff]/g, (character) => `\\x${character.charCodeAt(0).toString(16)}`);
}

function percentile(values: readonly number[], percent: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
