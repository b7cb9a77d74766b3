/** Gives up waiting after a while; `late` makes the error. What was waited for is left to end by itself. */
export function within<Result>(milliseconds: number, work: Promise<Result>, late: () => Error): Promise<Result> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
