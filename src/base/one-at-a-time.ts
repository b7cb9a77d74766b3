/** Returns a function that runs the work. Calls during a run cause one more run. A rejection of the work would end the process. */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isDue = false;
  return async () => {
    isDue = true;
    if (isRunning) return;
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
}
