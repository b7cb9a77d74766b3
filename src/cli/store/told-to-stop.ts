import { readFileSync } from "node:fs";
import { exitCodes } from "../command.ts";
import type { Output } from "../terminal/output.ts";

/** Aborted with the name of the signal by which the program is told to stop, or that its terminal was closed. */
export function untilToldToStop(): AbortSignal {
  const controller = new AbortController();
  const signals = ["SIGTERM", "SIGINT", ...(isHangupIgnored() ? [] : ["SIGHUP"])];
  for (const signal of signals) process.on(signal, () => controller.abort(signal));
  return controller.signal;
}

/** Tells what came of it. Returns the exit code. */
export function stopped(signal: AbortSignal, outcome: string, output: Output): number {
  output.note(`animal-store: Stopped by ${signal.reason}. ${outcome}`);
  return signal.reason === "SIGINT" ? exitCodes.interrupted : exitCodes.failure;
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
