/** Checks a condition repeatedly until it holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitMs = pauseMs; !(await holds()); waitMs = Math.min(waitMs * growth, maxPauseMs)) {
    await Bun.sleep(waitMs);
  }
}

/** Pauses a polling loop, which would otherwise take a whole core. */
export function pause(): Promise<void> {
  return Bun.sleep(pauseMs);
}

/** Pauses between the requests of a background load, which need not fill the machine. */
export function pauseOfLoad(): Promise<void> {
  return Bun.sleep(pauseOfLoadMs);
}

const pauseMs = 5;
/** A check may cost more than the pause before it, such as a new connection to PostgreSQL, so the pauses grow. */
const growth = 1.15;
const maxPauseMs = 50;
const pauseOfLoadMs = 20;
