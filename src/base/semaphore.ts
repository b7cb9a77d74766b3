/** Limits concurrent work. Excess work waits in the order of its arrival. */
export class Semaphore {
  #runningCount = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(readonly maxConcurrent: number) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#runningCount < this.maxConcurrent) this.#runningCount++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next waiter inherits the permit, so the count does not change.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#runningCount--;
    }
  }
}
