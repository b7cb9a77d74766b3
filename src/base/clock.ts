/** Returns milliseconds since 1970. */
export type Clock = () => number;

/** Returns milliseconds of a monotonic clock, which measures durations. */
export type Stopwatch = () => number;

/** Returns the time of a change, which is never before the times in its history, even if the clock was set back. */
export function timeOfChange(now: number, ...history: (number | null)[]): number {
  return Math.max(now, ...history.map((time) => time ?? now));
}

/** Maximum difference between the clocks of machines. A later timestamp was written by a wrong clock. */
export const maxClockSkewMs = 60 * 60 * 1000;
