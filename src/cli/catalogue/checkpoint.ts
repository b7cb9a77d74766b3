import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { lockFile } from "../../base/file-lock.ts";
import { ifPossible, newPartialPath, removeLeftovers, resolveLinks } from "../../base/files.ts";
import { readEnvironment, SettingsError } from "../../config.ts";
import { unlessAborted } from "../terminal/interruption.ts";
import type { FilePosition } from "./batches.ts";

export interface Progress {
  readonly place: FilePosition;
  readonly added: number;
  readonly rejected: number;
  readonly rejectsPath: string;
  readonly rejectsBytes: number;
  /** Times of the first batch and of this checkpoint, in milliseconds since 1970. */
  readonly begunAt: number;
  readonly at: number;
  /** An event log cursor, which identifies the store; undefined while the event log is empty. */
  readonly mark?: string | undefined;
  readonly isDone: boolean;
}

export class Checkpoint {
  readonly #path: string;

  constructor(...identity: readonly string[]) {
    this.#path = pathFor(JSON.stringify(identity), "json");
  }

  /** Waits for an earlier run of the same import to end. Calls `onWait` before the first wait. */
  async lock(onWait: () => void, signal: AbortSignal): Promise<Disposable> {
    for (let tryCount = 0; ; tryCount++) {
      const lock = lockFile(`${this.#path}.lock`);
      if (lock) return lock;
      if (tryCount === 0) onWait();
      await unlessAborted(setTimeout(pollEveryMs), signal);
    }
  }

  /** Returns undefined if no checkpoint is readable: the import starts over, and idempotency keys prevent duplicates for 24 hours. */
  load(): Progress | undefined {
    removeLeftovers(this.#path);
    // Earlier versions did not save `begunAt`.
    const progress = ifPossible(() => ({ begunAt: 0, ...JSON.parse(readFileSync(this.#path, "utf8")) }));
    return Number.isSafeInteger(progress?.place?.bytes) ? progress : undefined;
  }

  save(progress: Progress): void {
    const partial = newPartialPath(this.#path);
    writeFileSync(partial, JSON.stringify(progress), { mode: 0o600 });
    renameSync(partial, this.#path);
  }
}

/** Locks a file of rejected lines, which imports of one file to several destinations share by default. */
export function lockRejects(path: string): Disposable | undefined {
  // Concurrent writes to devices and pipes are harmless.
  if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) return undefined;
  const lock = lockFile(pathFor(resolveLinks(path), "file.lock"));
  if (lock) return lock;
  throw new SettingsError(`Another import is writing to ${path}. Choose another file with --rejects, or wait for it.`);
}

const pollEveryMs = 100;

function pathFor(identity: string, extension: string): string {
  const stateFolder =
    readEnvironment("XDG_STATE_HOME") ?? join(readEnvironment("HOME") ?? homedir(), ".local", "state");
  const folder = join(stateFolder, "animal-store", "imports");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, `${createHash("sha256").update(identity).digest("hex").slice(0, 32)}.${extension}`);
}
