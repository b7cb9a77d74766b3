/** How much is measured, and for how long. */
export interface Plan {
  readonly rounds: number;
  /** How many requests each target gets before anything counts, so that all of its code is compiled. */
  readonly warmUp: number;
  readonly milliseconds: number;
  /** How many animals there are when reads are measured. */
  readonly animals: number;
  /** The sizes at which the same reads are to cost the same. */
  readonly sizes: readonly number[];
  /** How many animals there are when lists of skewed ones are measured. */
  readonly skewed: number;
  /** How many animals are imported. */
  readonly imports: number;
  /** Connections of the client that floods the service, and the requests that each of them sends at once. */
  readonly floodConnections: number;
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

/** Tells on a terminal what is being done; elsewhere it says nothing. */
export function tell(what: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${what}`);
}
