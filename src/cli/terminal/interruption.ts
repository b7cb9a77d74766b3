import { readFileSync } from "node:fs";
import { constants } from "node:os";

/** By which a program is told to stop, or that its terminal was closed. */
export type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Those that are to be heeded. */
export function stopSignals(): readonly StopSignal[] {
  return isHangupIgnored() ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"];
}

/** As shells have it: 128 and the number of the signal. */
export function exitCodeOf(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}

/** Somebody has pressed Ctrl-C, or ended the program in another way, and what had to be put in order is. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly exitCode: number;

  constructor(signal: StopSignal) {
    super(`stopped by ${signal}`);
    this.exitCode = exitCodeOf(signal);
  }
}

/** Aborted with an Interruption at the first signal to stop. A second one, whichever it is, ends the program at once. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController();
  const signals = stopSignals();
  const stop = (signal: NodeJS.Signals) => {
    for (const each of signals) process.off(each, stop);
    controller.abort(new Interruption(signal as StopSignal));
  };
  for (const signal of signals) process.on(signal, stop);
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

/** Whoever started this with nohup wants it to go on, which a handler would undo. Where it is not known, it may be so. */
function isHangupIgnored(): boolean {
  try {
    const [, ignored = ""] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "utf8")) ?? [];
    return (BigInt(`0x${ignored}`) & hangup) !== 0n;
  } catch {
    return true;
  }
}

/** The lowest bit is for the first signal. */
const hangup = 1n;
