import { readFileSync } from "node:fs";

/** A moment, and the time that the host had taken from each processor by then. */
export interface Moment {
  readonly at: number;
  readonly stolen: readonly number[];
}

/**
 * Measures durations without the time that the host took from the machine. The host of a virtual machine sometimes gives its processors
 * to others, for most of a second at worst, in which no program here can respond. Only Linux reports this (steal time).
 */
export class MachineTime {
  readonly #readTaken: () => readonly number[];
  readonly #clock: () => number;
  readonly #begin: Moment;
  #known: Moment;

  constructor(readTaken = readStolen, clock = () => performance.now()) {
    this.#readTaken = readTaken;
    this.#clock = clock;
    this.#begin = this.#known = { at: clock(), stolen: readTaken() };
  }

  now(): Moment {
    const at = this.#clock();
    // Reading the file takes as long as some requests.
    if (at - this.#known.at >= freshMs) this.#known = { at, stolen: this.#readTaken() };
    return { at, stolen: this.#known.stolen };
  }

  /**
   * Returns the milliseconds since a moment, without the stolen time of the processor with the most of it. At least a quarter of the
   * time counts: a program that needs even longer hangs.
   */
  since(moment: Moment): number {
    const now = this.now();
    const passed = now.at - moment.at;
    return Math.max(passed - maxStolen(moment, now), passed / 4);
  }

  /** The share of all processors that the host has taken so far. Undefined if the system does not report it. */
  get stolenShare(): number | undefined {
    const { at, stolen } = this.now();
    if (stolen.length === 0) return undefined;
    const all = stolen.reduce((sum, each, index) => sum + each - (this.#begin.stolen[index] ?? 0), 0);
    return all / stolen.length / Math.max(1, at - this.#begin.at);
  }
}

function maxStolen(from: Moment, to: Moment): number {
  return Math.max(0, ...to.stolen.map((each, index) => each - (from.stolen[index] ?? each)));
}

/** Time for which a reading counts as current. */
export const freshMs = 20;

function readStolen(): readonly number[] {
  return process.platform === "linux" ? parseStolen(readFileSync("/proc/stat", "latin1")) : [];
}

/** Returns the eighth column of each processor in `/proc/stat` (steal), in hundredths of a second. */
export function parseStolen(statistics: string): readonly number[] {
  return [...statistics.matchAll(/^cpu\d+(?: \d+){7} (\d+)/gm)].map(([, ticks]) => Number(ticks) * 10);
}
