/** Limits concurrency to `width`; others wait in the order of their arrival. */
export class Semaphore {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(readonly maxConcurrent: number) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.maxConcurrent) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The next waiter inherits the permit, so the count does not change.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
