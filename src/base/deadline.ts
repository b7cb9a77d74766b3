/** Rejects with the error of `onTimeout` at the deadline; the work then continues in the background. */
export function withDeadline<Result>(
  milliseconds: number,
  work: Promise<Result>,
  onTimeout: () => Error,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const deadline = { at: performance.now() + milliseconds, miss: () => reject(onTimeout()) };
    deadlines.add(deadline);
    timer ??= setInterval(checkAll, checkIntervalMs);
    work.then(
      (result) => {
        deadlines.delete(deadline);
        resolve(result);
      },
      (error) => {
        deadlines.delete(deadline);
        reject(error);
      },
    );
  });
}

/** All deadlines share one timer: nearly all are met, and a timer for each would cost more than the work. */
const deadlines = new Set<{ readonly at: number; miss(): void }>();
let timer: Timer | undefined;
const checkIntervalMs = 20;

function checkAll(): void {
  const now = performance.now();
  for (const deadline of deadlines) {
    if (deadline.at > now) continue;
    deadlines.delete(deadline);
    deadline.miss();
  }
  if (deadlines.size > 0) return;
  clearInterval(timer);
  timer = undefined;
}
