import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { ifPossible } from "../../base/files.ts";
import type { Output } from "./output.ts";

type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Error that ends the program with the exit code of a signal, after the clean-up. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  readonly exitCode: number;

  constructor(signal: StopSignal) {
    super(`stopped by ${signal}`);
    this.exitCode = exitCodeOf(signal);
  }
}

/** Returns an AbortSignal that is aborted with an Interruption at the first stop signal. A second stop signal ends the program at once. */
export function createInterruptSignal(): AbortSignal {
  const controller = new AbortController();
  const signals = stopSignals();
  const onSignal = (signal: NodeJS.Signals) => {
    for (const each of signals) process.off(each, onSignal);
    controller.abort(new Interruption(signal as StopSignal));
  };
  for (const signal of signals) process.on(signal, onSignal);
  return controller.signal;
}

/** Returns an AbortSignal, aborted with the name of the first stop signal. Later signals are ignored, so that the clean-up finishes. */
export function createStopSignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of stopSignals()) process.on(signal, () => controller.abort(signal));
  return controller.signal;
}

export async function unlessStopped<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  }
}

export function reportStop(signal: AbortSignal, outcome: string, output: Output): number {
  output.note(`animal-store: Stopped by ${signal.reason}. ${outcome}`);
  return exitCodeOf(signal.reason);
}

/** Awaits work that cannot be stopped. If the signal is aborted, throws its reason at once, and discards the result of the work. */
export async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const onAbort = () => reject(signal.reason);
  if (signal.aborted) onAbort();
  // Adds a listener per call, because racing each work with one long-lived promise would keep every result in memory.
  signal.addEventListener("abort", onAbort, { once: true });
  work.then(resolve, reject);
  return await promise.finally(() => signal.removeEventListener("abort", onAbort));
}

/**
 * Returns the signals to handle. Omits SIGHUP if the process ignores it, because a handler for it would undo nohup. Only Linux shows which
 * signals are ignored; elsewhere, SIGHUP counts as ignored. The lowest bit of the mask stands for signal 1, SIGHUP.
 */
function stopSignals(): readonly StopSignal[] {
  const status = ifPossible(() => readFileSync("/proc/self/status", "utf8")) ?? "";
  const [, ignored] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  const isHangupIgnored = ignored === undefined || (BigInt(`0x${ignored}`) & 1n) !== 0n;
  return isHangupIgnored ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"];
}

/** Follows the convention of shells: 128 plus the number of the signal. */
function exitCodeOf(signal: StopSignal): number {
  return 128 + constants.signals[signal];
}
