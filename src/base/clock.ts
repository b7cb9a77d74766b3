/** Returns the time in milliseconds since 1970. */
export type Clock = () => number;

export type Stopwatch = () => number;

/** Returns `now`, or the latest time in `history` if the clock was set back since then. */
export function timeOfChange(now: number, ...history: (number | null)[]): number {
  return Math.max(now, ...history.map((time) => time ?? now));
}

/** Maximum difference between correct clocks. A timestamp that is further in the future comes from a wrong clock. */
export const maxClockSkewMs = 60 * 60 * 1000;
