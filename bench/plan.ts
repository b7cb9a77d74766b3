export interface Plan {
  readonly rounds: number;
  readonly warmUpRequests: number;
  readonly roundMs: number;
  readonly animals: number;
  /** Numbers of animals at which reads must cost the same. */
  readonly catalogueSizes: readonly number[];
  readonly skewedAnimals: number;
  readonly importedAnimals: number;
  readonly floodConnections: number;
  readonly floodPipelineDepth: number;
}

export const fullPlan: Plan = {
  rounds: 9,
  warmUpRequests: 30_000,
  roundMs: 1_000,
  animals: 1_000_000,
  catalogueSizes: [1_000, 1_000_000, 10_000_000],
  skewedAnimals: 3_000_000,
  importedAnimals: 1_000_000,
  floodConnections: 2_500,
  floodPipelineDepth: 1_500,
};

export const quickPlan: Plan = {
  rounds: 3,
  warmUpRequests: 10_000,
  roundMs: 400,
  animals: 100_000,
  catalogueSizes: [1_000, 100_000],
  skewedAnimals: 100_000,
  importedAnimals: 50_000,
  floodConnections: 500,
  floodPipelineDepth: 1_500,
};

export function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
}
