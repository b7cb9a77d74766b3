import { createInterface } from "node:readline/promises";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { Interruption } from "./interruption.ts";

/** Reads a secret without an echo from a terminal, or else all of standard input. */
export async function readSecret(question: string): Promise<string> {
  const { stdin, stderr } = process;
  if (!stdin.isTTY) return (await text(stdin)).trim();
  const stop = new AbortController();
  // The reader is opened before the question appears, because the terminal would echo earlier input. Its output is discarded.
  const reader = createInterface({ input: stdin, output: new PassThrough(), terminal: true });
  // Ctrl-C and Ctrl-D close the reader.
  reader.on("close", () => stop.abort(new Interruption("SIGINT")));
  stderr.write(question);
  try {
    return (await reader.question("", { signal: stop.signal })).trim();
  } catch (error) {
    throw stop.signal.reason ?? error;
  } finally {
    reader.close();
    stderr.write("\n");
  }
}
