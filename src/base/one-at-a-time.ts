/**
 * Does something whenever it is called, but never twice at once: whatever is due by the end of a call is done by one more. The
 * work must not reject, since nobody waits for it: the process would end.
 */
export function oneAtATime(work: () => Promise<void>): () => void {
  let isUnderWay = false;
  let isDue = false;
  const run = async () => {
    isUnderWay = true;
    try {
      while (isDue) {
        isDue = false;
        await work();
      }
    } finally {
      isUnderWay = false;
    }
  };
  return () => {
    isDue = true;
    if (!isUnderWay) run();
  };
}
