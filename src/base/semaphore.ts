/** Runs so many things at once; others wait for their turn, in the order in which they came. */
export class Semaphore {
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(readonly width: number) {}

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.width) this.#running++;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Whose turn it is takes the place of the one that was done.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}
