/** Lets everything have its turn that has come in meanwhile. Work that lasts and never waits would keep all others waiting. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
