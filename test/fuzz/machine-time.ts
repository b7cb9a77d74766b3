import { readFileSync } from "node:fs";

/** A moment, and the time that the host had stolen from each processor by then. */
export interface Moment {
  readonly at: number;
  readonly stolenMs: readonly number[];
}

/**
 * Measures durations without steal time, during which the host runs other virtual machines on the processors, and no program of this
 * machine can respond. At worst, steal time lasts for most of a second. Only Linux reports it.
 */
export class MachineTime {
  readonly #readStolenMs: () => readonly number[];
  readonly #clock: () => number;
  readonly #start: Moment;
  #lastReading: Moment;

  constructor(readStolenMs = readStealTimes, clock = () => performance.now()) {
    this.#readStolenMs = readStolenMs;
    this.#clock = clock;
    this.#start = this.#lastReading = { at: clock(), stolenMs: readStolenMs() };
  }

  now(): Moment {
    const at = this.#clock();
    // Steal time is read at intervals, because each reading takes as long as some requests.
    if (at - this.#lastReading.at >= maxReadingAgeMs) this.#lastReading = { at, stolenMs: this.#readStolenMs() };
    return { at, stolenMs: this.#lastReading.stolenMs };
  }

  /**
   * Returns the milliseconds since a moment, without the steal time of the processor that lost the most. At least a quarter of the
   * time counts, so that a hanging program reaches its time limit on any host.
   */
  since(moment: Moment): number {
    const now = this.now();
    const passed = now.at - moment.at;
    return Math.max(passed - maxStolenMs(moment, now), passed / 4);
  }

  /** Share of the processor time that the host has stolen; undefined if the system does not report steal time. */
  get stolenShare(): number | undefined {
    const { at, stolenMs } = this.now();
    if (stolenMs.length === 0) return undefined;
    const all = stolenMs.reduce((sum, each, index) => sum + each - (this.#start.stolenMs[index] ?? 0), 0);
    return all / stolenMs.length / Math.max(1, at - this.#start.at);
  }
}

function maxStolenMs(from: Moment, to: Moment): number {
  return Math.max(0, ...to.stolenMs.map((each, index) => each - (from.stolenMs[index] ?? each)));
}

export const maxReadingAgeMs = 20;

function readStealTimes(): readonly number[] {
  return process.platform === "linux" ? parseStealTimes(readFileSync("/proc/stat", "latin1")) : [];
}

/** Returns the steal time of each processor: the eighth column of `/proc/stat`, which is in hundredths of a second. */
export function parseStealTimes(statistics: string): readonly number[] {
  return [...statistics.matchAll(/^cpu\d+(?: \d+){7} (\d+)/gm)].map(([, ticks]) => Number(ticks) * 10);
}
