import { readFileSync } from "node:fs";
import { constants } from "node:os";
import { ifPossible } from "../../base/files.ts";
import type { Output } from "./output.ts";

type StopSignal = "SIGINT" | "SIGTERM" | "SIGHUP";

/** Error that ends the program with the exit code of a signal, after the clean-up. */
export class Interruption extends Error {
  override readonly name = "Interruption";
  /** 128 plus the number of the signal, as in shells. */
  readonly exitCode: number;

  constructor(readonly signal: StopSignal) {
    super(`Stopped by ${signal}.`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Returns a signal that the first stop signal aborts. A second stop signal ends the program at once, unless the clean-up has to finish. */
export function createInterruptSignal({ finishesCleanUp = false } = {}): AbortSignal {
  const controller = new AbortController();
  const signals = stopSignals();
  const onSignal = (signal: NodeJS.Signals) => {
    if (!finishesCleanUp) for (const each of signals) process.off(each, onSignal);
    controller.abort(new Interruption(signal as StopSignal));
  };
  for (const signal of signals) process.on(signal, onSignal);
  return controller.signal;
}

/** Awaits work. If the work fails because the command was stopped, reports the outcome, and throws the Interruption. */
export async function unlessStopped<Result>(
  signal: AbortSignal,
  outcome: string,
  output: Output,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!signal.aborted) throw error;
    output.note(`animal-store: ${signal.reason.message} ${outcome}`);
    throw signal.reason;
  }
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

/** Omits SIGHUP if the process ignores it, because a handler would undo nohup. Only Linux shows ignored signals; bit 0 is SIGHUP. */
function stopSignals(): readonly StopSignal[] {
  const status = ifPossible(() => readFileSync("/proc/self/status", "utf8")) ?? "";
  const [, ignored] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(status) ?? [];
  const isHangupIgnored = ignored === undefined || (BigInt(`0x${ignored}`) & 1n) !== 0n;
  return isHangupIgnored ? ["SIGINT", "SIGTERM"] : ["SIGINT", "SIGTERM", "SIGHUP"];
}
