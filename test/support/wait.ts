/** Looks, or asks, again and again until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause();
}

/** Before the next look, or the next request of a load: a loop without it takes a whole core from what it waits for. */
export function pause(): Promise<void> {
  return Bun.sleep(pauseMs);
}

const pauseMs = 5;
