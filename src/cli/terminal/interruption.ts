/** Somebody has pressed Ctrl-C, or ended the program in another way, and what had to be put in order is. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly exitCode: number;

  constructor(signal: "SIGINT" | "SIGTERM") {
    super(`stopped by ${signal}`);
    // As shells have it: 128 and the number of the signal.
    this.exitCode = signal === "SIGINT" ? 130 : 143;
  }
}

/** Aborted with an Interruption at the first signal to stop. A second one ends the program at once. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => controller.abort(new Interruption(signal)));
  }
  return controller.signal;
}

/** Throws the reason of the signal as soon as it is aborted, for work that cannot be stopped itself: nobody waits for it any more. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  // One promise for all work, to race with, would keep the result of each in memory.
  signal.addEventListener("abort", stop, { once: true });
  work.then(resolve, reject);
  return await promise.finally(() => signal.removeEventListener("abort", stop));
}
