/** Function that returns the time in milliseconds since 1970. */
export type Clock = () => number;

/** Function that returns the milliseconds of a monotonic clock, for measuring durations. */
export type Stopwatch = () => number;

/** Returns the time of a change, which is never before the times in its history, even if the clock was set back. */
export function timeOfChange(now: number, ...history: (number | null)[]): number {
  return Math.max(now, ...history.map((time) => time ?? now));
}

/** Maximum plausible difference between the clocks of two machines. A timestamp further in the future was written by a wrong clock. */
export const maxClockSkewMs = 60 * 60 * 1000;
