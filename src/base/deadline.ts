/** Rejects with the error of `late` if the work takes longer; the work continues in the background. */
export function withDeadline<Result>(milliseconds: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const deadline = { at: performance.now() + milliseconds, miss: () => reject(late()) };
    watch(deadline);
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

interface Deadline {
  readonly at: number;
  miss(): void;
}

/** One timer checks all of them: nearly all are met, and a timer for each would cost more than the work. */
const deadlines = new Set<Deadline>();
let timer: Timer | undefined;
const checkIntervalMs = 20;

function watch(deadline: Deadline): void {
  deadlines.add(deadline);
  timer ??= setInterval(checkAll, checkIntervalMs);
}

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
