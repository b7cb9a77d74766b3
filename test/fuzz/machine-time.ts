import { readFileSync } from "node:fs";

/** A moment, and what had been taken of each processor by then. */
export interface Moment {
  readonly at: number;
  readonly taken: readonly number[];
}

/**
 * How long something took of the time in which the machine ran. The host of a virtual machine gives its processors to others now and
 * then, for most of a second at worst, in which nobody here can answer. Only Linux tells of that.
 */
export class MachineTime {
  readonly #readTaken: () => readonly number[];
  readonly #clock: () => number;
  readonly #begin: Moment;
  #known: Moment;

  constructor(readTaken = millisecondsTaken, clock = () => performance.now()) {
    this.#readTaken = readTaken;
    this.#clock = clock;
    this.#begin = this.#known = { at: clock(), taken: readTaken() };
  }

  now(): Moment {
    const at = this.#clock();
    // To look takes as long as many a request.
    if (at - this.#known.at >= freshMs) this.#known = { at, taken: this.#readTaken() };
    return { at, taken: this.#known.taken };
  }

  /**
   * Milliseconds, without those that were taken of the processor of which the most was taken. At least a quarter counts: whatever is
   * much slower than that hangs.
   */
  since(moment: Moment): number {
    const now = this.now();
    const passed = now.at - moment.at;
    return Math.max(passed - mostTaken(moment, now), passed / 4);
  }

  /** The share that was taken of all processors so far. Undefined if nobody tells. */
  get shareTaken(): number | undefined {
    const { at, taken } = this.now();
    if (taken.length === 0) return undefined;
    const all = taken.reduce((sum, each, index) => sum + each - (this.#begin.taken[index] ?? 0), 0);
    return all / taken.length / Math.max(1, at - this.#begin.at);
  }
}

function mostTaken(from: Moment, to: Moment): number {
  return Math.max(0, ...to.taken.map((each, index) => each - (from.taken[index] ?? each)));
}

/** For how long a look counts as one of now. */
export const freshMs = 20;

function millisecondsTaken(): readonly number[] {
  return process.platform === "linux" ? takenOf(readFileSync("/proc/stat", "latin1")) : [];
}

/** What `/proc/stat` has in the eighth column of each processor, in hundredths of a second. */
export function takenOf(statistics: string): readonly number[] {
  return [...statistics.matchAll(/^cpu\d+(?: \d+){7} (\d+)/gm)].map(([, ticks]) => Number(ticks) * 10);
}
