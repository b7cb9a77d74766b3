import { open } from "node:fs/promises";
import { createPartial, partialOf, putInPlace, removeIfPossible } from "../../store/sqlite/file/replace.ts";
import type { Output } from "../terminal/output.ts";

/** Where animals are written to. */
export interface Sink extends AsyncDisposable {
  write(text: string): Promise<void>;
  /** Called after the last. */
  finish(): Promise<void>;
}

/** A file that gets its name only once it is whole. */
export async function fileSink(path: string): Promise<Sink> {
  const partial = partialOf(path);
  createPartial(partial);
  const file = await open(partial, "w");
  return {
    write: (text) => file.writeFile(text),
    async finish() {
      await file.close();
      putInPlace(partial, path);
    },
    async [Symbol.asyncDispose]() {
      await file.close().catch(() => {});
      removeIfPossible(partial);
    },
  };
}

export function outputSink(output: Output): Sink {
  return {
    write: (text) => output.piece(text),
    async finish() {},
    async [Symbol.asyncDispose]() {},
  };
}
