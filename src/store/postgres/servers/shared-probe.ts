/** A question that anybody may have asked: those who ask within a moment share one, and those who come meanwhile its answer. */
export class SharedProbe {
  readonly #probe: () => Promise<unknown>;
  #asked: Promise<void> | undefined;

  constructor(probe: () => Promise<unknown>) {
    this.#probe = probe;
  }

  /** Throws what the question did. */
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

/** From one question to the next, at least. */
const restMs = 250;
