/** Looks, or asks, again and again until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause();
}

/** Before the next look: a loop without it takes a whole core from what it waits for. */
export function pause(): Promise<void> {
  return Bun.sleep(pauseMs);
}

/** Before the next request of a load that is there for as long as something else takes. It need not fill the machine. */
export function pauseOfLoad(): Promise<void> {
  return Bun.sleep(pauseOfLoadMs);
}

const pauseMs = 5;
const pauseOfLoadMs = 20;
