/** Lets everything that has arrived meanwhile have its turn. Work that lasts and never waits would keep all others waiting. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Gives no two of those who ask the same turn, however many there are: others wait for one step of theirs at most. */
export class Turns {
  #latest = Promise.resolve();

  next(): Promise<void> {
    this.#latest = this.#latest.then(nextTurn);
    return this.#latest;
  }
}
