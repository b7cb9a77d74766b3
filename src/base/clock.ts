/** Returns the time in milliseconds since 1970. */
export type Clock = () => number;

export type Stopwatch = () => number;

/** The time of a change is never before the times in its history, even if the clock was set back. */
export function timeOfChange(now: number, ...history: (number | null)[]): number {
  return Math.max(now, ...history.map((time) => time ?? now));
}

/** A timestamp further in the future was written by a wrong clock. */
export const maxClockSkewMs = 60 * 60 * 1000;
