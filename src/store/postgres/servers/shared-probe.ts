/**
 * Shares one probe between all callers within `restMs` of its start, and those that come while it is in flight, so that frequent health
 * checks cost the store no more than rare ones.
 */
export class SharedProbe {
  readonly #probe: () => Promise<unknown>;
  #asked: Promise<void> | undefined;

  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
  }

  /** Throws the error of the probe. */
  ask(): Promise<void> {
    this.#asked ??= this.#ask();
    return this.#asked;
  }

  async #ask(): Promise<void> {
    const rest = Bun.sleep(restMs);
    try {
      await this.#probe();
    } finally {
      rest.then(() => {
        this.#asked = undefined;
      });
    }
  }
}

const restMs = 250;
