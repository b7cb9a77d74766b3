/** The extent of a run. */
export interface Plan {
  readonly rounds: number;
  /** Number of warm-up requests for each target, so that all of its code is compiled. */
  readonly warmUp: number;
  readonly milliseconds: number;
  /** Number of animals in the catalogue for reads. */
  readonly animals: number;
  /** Catalogue sizes at which reads must cost the same. */
  readonly sizes: readonly number[];
  /** Number of animals in the catalogue in which most animals are alike. */
  readonly skewed: number;
  /** Number of imported animals. */
  readonly imports: number;
  /** Number of connections of the flooding client. */
  readonly floodConnections: number;
  /** Number of pipelined requests on each connection of the flooding client. */
  readonly floodPipelined: number;
}

export const fullPlan: Plan = {
  rounds: 9,
  warmUp: 30_000,
  milliseconds: 1_000,
  animals: 1_000_000,
  sizes: [1_000, 1_000_000, 10_000_000],
  skewed: 3_000_000,
  imports: 1_000_000,
  floodConnections: 2_500,
  floodPipelined: 1_500,
};

export const quickPlan: Plan = {
  rounds: 3,
  warmUp: 10_000,
  milliseconds: 400,
  animals: 100_000,
  sizes: [1_000, 100_000],
  skewed: 100_000,
  imports: 50_000,
  floodConnections: 500,
  floodPipelined: 1_500,
};

/** Shows progress on a terminal, and nothing elsewhere. */
export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
