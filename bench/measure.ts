import type { Case } from "./cases.ts";
import { type LoadLimit, load, medianOf, type NextRequest, percentile } from "./load.ts";
import type { Target } from "./targets.ts";

export interface Measurement {
  /** Processor time of the server for each request, in microseconds. */
  readonly cpu: number;
  readonly perSecond: number;
  /** Latencies in milliseconds. */
  readonly p50: number;
  readonly p99: number;
}

/** Measures one target. If `kind` is given, the latencies and the rate count only requests of that kind. */
export async function measure(
  target: Target,
  { connections }: Pick<Case, "connections">,
  next: NextRequest,
  limit: LoadLimit,
  kind?: string,
): Promise<Measurement> {
  const before = target.cpu();
  const { seconds, counts, latencies } = await load(target.url, connections, limit, next);
  const cpu = target.cpu() - before;
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const all = kind ? (latencies[kind] ?? []) : Object.values(latencies).flat();
  return {
    cpu: cpu / total,
    perSecond: (kind ? (counts[kind] ?? 0) : total) / seconds,
    p50: percentile(all, 0.5),
    p99: percentile(all, 0.99),
  };
}

export function medianMeasurement(rounds: readonly Measurement[]): Measurement {
  const medianFigure = (figure: keyof Measurement) => medianOf(rounds.map((round) => round[figure]));
  return {
    cpu: medianFigure("cpu"),
    perSecond: medianFigure("perSecond"),
    p50: medianFigure("p50"),
    p99: medianFigure("p99"),
  };
}
