export interface PlannedJob {
  readonly name: string;
  readonly source: string;
}

export type Durations = Readonly<Record<string, number>>;

/**
 * Sorts jobs by descending duration, so that no long job runs alone at the end. The duration of a job that has not run here yet is
 * estimated from the programs that it starts and from its length.
 */
export function byDescendingLength<Job extends PlannedJob>(jobs: readonly Job[], durations: Durations): Job[] {
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
