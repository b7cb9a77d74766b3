/** Lets everything that has arrived meanwhile have its turn. Work that lasts and never waits would keep all others waiting. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The same for one of many steps. No two of those who call this get the same turn, however many there are: others wait for one step
 * at most.
 */
export function turnOfItsOwn(): Promise<void> {
  latest = latest.then(nextTurn);
  return latest;
}

let latest = Promise.resolve();
