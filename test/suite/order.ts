/** Duration of the last run of each job in milliseconds, by name. */
export type Durations = Readonly<Record<string, number>>;

/** Sorts jobs by descending duration, so that no long job runs alone at the end. A new job's duration is estimated. */
export function sortByDescendingDuration<Job extends { readonly name: string; readonly source: string }>(
  jobs: readonly Job[],
  durations: Durations,
): Job[] {
  const durationOf = ({ name, source }: Job) => durations[name] ?? source.length;
  return jobs.toSorted((one, other) => durationOf(other) - durationOf(one));
}
