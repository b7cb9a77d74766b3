import { exitCodeOf, stopSignals } from "../terminal/interruption.ts";
import type { Output } from "../terminal/output.ts";

/** Aborted with the name of the signal by which the program is told to stop, or that its terminal was closed. */
export function untilToldToStop(): AbortSignal {
  const controller = new AbortController();
  for (const signal of stopSignals()) process.on(signal, () => controller.abort(signal));
  return controller.signal;
}

/** Tells what came of it. Returns the exit code. */
export function stopped(signal: AbortSignal, outcome: string, output: Output): number {
  output.note(`animal-store: Stopped by ${signal.reason}. ${outcome}`);
  return exitCodeOf(signal.reason);
}
