export function nextTick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Gives each caller a tick of its own, so that other requests wait for at most one caller's step. */
export class TickQueue {
  #latest = Promise.resolve();

  next(): Promise<void> {
    this.#latest = this.#latest.then(nextTick);
    return this.#latest;
  }
}
