/** Looks, or asks, again and again until something holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitMs = pauseMs; !(await holds()); waitMs = Math.min(waitMs * growth, maxPauseMs)) {
    await Bun.sleep(waitMs);
  }
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
/** A look may cost more than the pause before it, as one through a new connection to PostgreSQL does: the longer the wait, the fewer. */
const growth = 1.15;
const maxPauseMs = 50;
const pauseOfLoadMs = 20;
