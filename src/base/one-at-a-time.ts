/**
 * Returns a function that starts the work, never twice at once: calls during a run cause one more run. The work must not reject: an
 * unhandled rejection ends the process.
 */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isDue = false;
  const run = async () => {
    isRunning = true;
    try {
      while (isDue) {
        isDue = false;
        await work();
      }
    } finally {
      isRunning = false;
    }
  };
  return () => {
    isDue = true;
    if (!isRunning) run();
  };
}
