import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  createPartial,
  fileBehindLinks,
  partialOf,
  putInPlace,
  removeIfPossible,
  removeLeftovers,
} from "../../base/files.ts";
import { SettingsError } from "../../config.ts";
import { belongsToDatabase } from "../../store/store-files.ts";
import { unlessAborted } from "../terminal/interruption.ts";
import { ClosedPipe, type Output } from "../terminal/output.ts";

/** Where animals are written to. All throw ClosedPipe if nobody reads what is written, and the reason of a signal that is aborted. */
export interface Sink extends AsyncDisposable {
  write(text: string): Promise<void>;
  /** Called after the last. */
  finish(): Promise<void>;
}

/**
 * A file that gets its name only once it is whole. What is no file, such as a device or a pipe, is written to as it is.
 * Throws SettingsError if there cannot be one.
 */
export async function fileSink(name: string, signal: AbortSignal): Promise<Sink> {
  const there = statSync(name, { throwIfNoEntry: false });
  if (there?.isDirectory()) throw new SettingsError([`${resolve(name)} is a folder. Choose a file in it.`]);
  if (there && !there.isFile()) return sinkTo(name, await openPipe(name, signal), signal);
  // A link goes on to lead to the file.
  const path = resolve(fileBehindLinks(name));
  refuseDatabase(path);
  const partial = partialOf(path);
  try {
    removeLeftovers(path);
    createPartial(partial);
  } catch (error) {
    throw new SettingsError([`${dirname(path)} cannot be written to: ${(error as Error).message}.`]);
  }
  const sink = sinkTo(path, await open(partial, "w"), signal);
  return {
    ...sink,
    async finish() {
      await sink.finish();
      // Somebody may have made one there meanwhile.
      refuseDatabase(path);
      putInPlace(partial, path);
    },
    async [Symbol.asyncDispose]() {
      await sink[Symbol.asyncDispose]();
      removeIfPossible(partial);
    },
  };
}

/** A pipe is not open before somebody reads from it. */
function openPipe(name: string, signal: AbortSignal): Promise<FileHandle> {
  return unlessAborted(open(name, "w"), signal);
}

/** Whoever names a database here has mistaken the place of a setting: all that is in it would be lost. Throws SettingsError. */
export function refuseDatabase(path: string): void {
  let isRefused: boolean;
  try {
    isRefused = belongsToDatabase(path);
  } catch (error) {
    throw new SettingsError([`${path} cannot be inspected before writing: ${(error as Error).message}.`]);
  }
  if (isRefused) throw new SettingsError([`${path} belongs to a SQLite database. Choose another file.`]);
}

function sinkTo(path: string, file: FileHandle, signal: AbortSignal): Sink {
  const refuse = (error: NodeJS.ErrnoException) => {
    throw error.code === "EPIPE" ? new ClosedPipe() : unwritable(path, error);
  };
  return {
    // A pipe that nobody empties takes no more.
    write: (text) => unlessAborted(file.writeFile(text).catch(refuse), signal),
    finish: () => file.close().catch(refuse),
    async [Symbol.asyncDispose]() {
      // Not waited for: what is being written to a pipe that nobody empties would have to be written first.
      file.close().catch(() => {});
    },
  };
}

/** The same error of the system, which does not say itself which file it is about. */
export function unwritable(path: string, error: Error): Error {
  return Object.assign(error, { message: `${path} cannot be written to: ${error.message}` });
}

export function outputSink(output: Output, signal: AbortSignal): Sink {
  return {
    write: (text) => unlessAborted(output.piece(text), signal),
    async finish() {},
    async [Symbol.asyncDispose]() {},
  };
}
