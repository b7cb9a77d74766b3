/** Milliseconds since 1970; given to whatever depends on the time, so that tests can choose it. */
export type Clock = () => number;

/** Milliseconds since some moment; unlike a clock, nobody can set it, so it is what waiting is measured by. */
export type Stopwatch = () => number;

/** When something changed that has a history: never before that, though the clock may have been set back since. */
export function timeOfChange(now: number, ...history: (number | null)[]): number {
  return Math.max(now, ...history.map((time) => time ?? now));
}

/** How far the clocks of several machines may be apart. What lies further ahead was written by one that was wrong. */
export const farthestAheadMs = 60 * 60 * 1000;
