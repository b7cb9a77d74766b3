/** Rejects with the error of `onTimeout` at the deadline; the work then continues in the background. */
export async function withDeadline<Result>(
  milliseconds: number,
  work: Promise<Result>,
  onTimeout: () => Error,
): Promise<Result> {
  const { promise: timeout, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(onTimeout()), milliseconds);
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
