/** Lets everything that has arrived meanwhile have its turn. Work that lasts and never waits would keep all others waiting. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
