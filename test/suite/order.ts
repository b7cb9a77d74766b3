/** What is known of a job before it runs. */
export interface Expectation {
  readonly name: string;
  /** The text of the test file. */
  readonly source: string;
}

/** How long each job took when it last ran here, in milliseconds, by its name. */
export type Durations = Readonly<Record<string, number>>;

/**
 * Puts first what will take longest, so that no worker is left alone with it at the end. A job that has not run here yet is
 * judged by what it starts, which takes most of the time, and by its length.
 */
export function byDescendingLength<Job extends Expectation>(jobs: readonly Job[], durations: Durations): Job[] {
  const expected = new Map(jobs.map((job) => [job, durations[job.name] ?? estimate(job.source)]));
  return jobs.toSorted((one, other) => (expected.get(other) ?? 0) - (expected.get(one) ?? 0));
}

function estimate(source: string): number {
  const starts: readonly (readonly [pattern: RegExp, milliseconds: number])[] = [
    [/support\/browser\.ts/, 40_000],
    [/PostgresServer/, 30_000],
    [/support\/program\.ts/, 20_000],
    [/fast-check/, 20_000],
    [/support\/deployment\.ts/, 40_000],
    [/describeStore/, 20_000],
    [/support\/unreliable-proxy\.ts|\/fuzzer\.ts/, 40_000],
    [/support\/stalled\.ts/, 30_000],
  ];
  return starts.reduce(
    (sum, [pattern, milliseconds]) => sum + (pattern.test(source) ? milliseconds : 0),
    source.length,
  );
}
