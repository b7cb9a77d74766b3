export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let waitMs = pauseMs; !(await condition()); waitMs = Math.min(waitMs * pauseGrowth, maxPauseMs)) {
    await Bun.sleep(waitMs);
  }
}

/** Pauses a polling loop, which would otherwise take a whole core. */
export function pause(): Promise<void> {
  return Bun.sleep(pauseMs);
}

/** Pauses between two requests of a background load, which would otherwise occupy the whole machine. */
export function pauseLoad(): Promise<void> {
  return Bun.sleep(loadPauseMs);
}

const pauseMs = 5;
/** The pauses grow, because a check, such as a new connection to PostgreSQL, may cost more than the pause before the check. */
const pauseGrowth = 1.15;
const maxPauseMs = 50;
const loadPauseMs = 20;
