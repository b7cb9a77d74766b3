/**
 * Shares one probe between all callers within `restMs` of its start, and those that come while it is in flight, so that frequent health
 * checks cost the store no more than rare ones.
 */
export class SharedProbe {
  #asked: Promise<void> | undefined;

  constructor(private readonly probe: () => Promise<unknown>) {}

  /** Throws the error of the probe. */
  ask(): Promise<void> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  async #ask(): Promise<void> {
    const rest = Bun.sleep(restMs);
    try {
      await this.probe();
    } finally {
      rest.then(() => {
        this.#asked = undefined;
      });
    }
  }
}

const restMs = 250;
