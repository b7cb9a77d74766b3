/** Shares one probe among all callers within `intervalMs` of its start, or while it is in flight, so frequent health checks cost no more. */
export class SharedProbe {
  #current: Promise<void> | undefined;

  constructor(private readonly probe: () => Promise<unknown>) {}

  /** Throws the error of the probe. */
  run(): Promise<void> {
    this.#current ??= this.#start();
    return this.#current;
  }

  async #start(): Promise<void> {
    const interval = Bun.sleep(intervalMs);
    try {
      await this.probe();
    } finally {
      interval.then(() => {
        this.#current = undefined;
      });
    }
  }
}

const intervalMs = 250;
