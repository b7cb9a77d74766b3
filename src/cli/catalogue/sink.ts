import { statSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import {
  commitPartial,
  createPrivateFile,
  newPartialPath,
  removeIfPossible,
  removeLeftovers,
  resolveLinks,
} from "../../base/files.ts";
import { SettingsError } from "../../config.ts";
import { belongsToDatabase } from "../../store/store-files.ts";
import { unlessAborted } from "../terminal/interruption.ts";
import { ClosedPipe, type Output } from "../terminal/output.ts";

/** The target of an export. Its methods throw ClosedPipe if the reader has closed the pipe or, if aborted, the signal's reason. */
export interface Sink extends AsyncDisposable {
  write(text: string): Promise<unknown>;
  finish(): Promise<void>;
}

/** Returns a sink for a device, a pipe, or a file that gets its name once it is complete. Throws SettingsError if the folder is unwritable. */
export async function openFileSink(name: string, signal: AbortSignal): Promise<Sink> {
  const stats = statSync(name, { throwIfNoEntry: false });
  if (stats?.isDirectory()) throw new SettingsError(`${resolve(name)} is a folder. Choose a file in it.`);
  // Opening a pipe blocks until the pipe has a reader, so an abort has to end the wait.
  if (stats && !stats.isFile()) return createSink(name, await unlessAborted(open(name, "w"), signal), signal);
  const path = resolve(resolveLinks(name));
  refuseDatabase(path);
  const partial = newPartialPath(path);
  try {
    removeLeftovers(path);
    createPrivateFile(partial);
  } catch (error) {
    throw new SettingsError(`${dirname(path)} cannot be written to: ${(error as Error).message}.`);
  }
  const sink = createSink(path, await open(partial, "w"), signal);
  return {
    ...sink,
    async finish() {
      await sink.finish();
      // Another process may have created a database at this path meanwhile.
      refuseDatabase(path);
      commitPartial(partial, path);
    },
    async [Symbol.asyncDispose]() {
      await sink[Symbol.asyncDispose]();
      removeIfPossible(partial);
    },
  };
}

/** Throws SettingsError for a file of a database, because a user who confuses two settings would overwrite the database with an export. */
export function refuseDatabase(path: string): void {
  if (belongsToDatabase(path)) throw new SettingsError(`${path} belongs to a SQLite database. Choose another file.`);
}

function createSink(path: string, file: FileHandle, signal: AbortSignal): Sink {
  const refuse = (error: NodeJS.ErrnoException) => {
    throw error.code === "EPIPE" ? new ClosedPipe() : toUnwritableError(path, error);
  };
  return {
    // A write to a full pipe blocks until the reader reads, so an abort has to end the wait.
    write: (text) => unlessAborted(file.writeFile(text).catch(refuse), signal),
    finish: () => file.close().catch(refuse),
    async [Symbol.asyncDispose]() {
      // Not awaited, because a pending write to a full pipe may never end.
      file.close().catch(() => {});
    },
  };
}

export function toUnwritableError(path: string, error: Error): Error {
  return Object.assign(error, { message: `${path} cannot be written to: ${error.message}` });
}

export function createOutputSink(output: Output, signal: AbortSignal): Sink {
  return {
    write: (text) => unlessAborted(output.write(text), signal),
    async finish() {},
    async [Symbol.asyncDispose]() {},
  };
}
