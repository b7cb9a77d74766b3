/** Lets everything that has arrived meanwhile have its turn. Work that lasts and never waits would keep all others waiting. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/**
 * The same for one of many steps. No two steps get the same turn, however many there are who work in steps: others wait for one
 * of them at most.
 */
export function turnOfItsOwn(): Promise<void> {
  latest = latest.then(nextTurn);
  return latest;
}

let latest = Promise.resolve();
