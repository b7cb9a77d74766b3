import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { lockFile } from "../../base/file-lock.ts";
import { ifPossible, newPartialPath, removeLeftovers, resolveLinks } from "../../base/files.ts";
import { environmentOf } from "../../config.ts";
import { unlessAborted } from "../terminal/interruption.ts";
import type { FilePosition } from "./batches.ts";

export interface Progress {
  /** Everything before this position was added or rejected. */
  readonly place: FilePosition;
  readonly added: number;
  readonly rejected: number;
  /** The file of rejected lines, and its length when this checkpoint was saved. */
  readonly rejectsPath: string;
  readonly rejectsBytes: number;
  /** Times of the first batch and of this checkpoint, in milliseconds since 1970. */
  readonly begunAt: number;
  readonly at: number;
  /** An event log cursor, which identifies the store; undefined while the event log is empty. */
  readonly mark?: string | undefined;
  readonly isDone: boolean;
}

/** Saves the progress of an import in the user's state folder, so that it can be resumed at any time. */
export class Checkpoint {
  readonly #path: string;

  constructor(...identity: readonly string[]) {
    this.#path = join(importsFolder(), `${hashOf(JSON.stringify(identity))}.json`);
  }

  /** Acquires the lock of this import, because two runs would write to the same files. Calls `onWait` once if the lock is taken. */
  lock(onWait: () => void, signal: AbortSignal): Promise<Disposable> {
    return waitForLock(`${this.#path}.lock`, onWait, signal);
  }

  /** Returns undefined if no checkpoint is readable: the import starts over, and idempotency keys prevent duplicates for 24 hours. */
  load(): Progress | undefined {
    removeLeftovers(this.#path);
    // Earlier versions did not save `begunAt`.
    const progress = ifPossible(() => ({ begunAt: 0, ...JSON.parse(readFileSync(this.#path, "utf8")) }));
    return Number.isSafeInteger(progress?.place?.bytes) ? progress : undefined;
  }

  save(progress: Progress): void {
    createImportsFolder();
    const partial = newPartialPath(this.#path);
    writeFileSync(partial, JSON.stringify(progress), { mode: 0o600 });
    renameSync(partial, this.#path);
  }
}

/** Acquires the lock of a file that several imports share. Calls `onWait` once if the lock is taken. */
export function lockSharedFile(path: string, onWait: () => void, signal: AbortSignal): Promise<Disposable> {
  return waitForLock(join(importsFolder(), `${hashOf(resolveLinks(path))}.file.lock`), onWait, signal);
}

async function waitForLock(path: string, onWait: () => void, signal: AbortSignal): Promise<Disposable> {
  createImportsFolder();
  for (let tries = 0; ; tries++) {
    const lock = lockFile(path);
    if (lock) return lock;
    if (tries === 0) onWait();
    await unlessAborted(setTimeout(pollEveryMs), signal);
  }
}

const pollEveryMs = 100;

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function createImportsFolder(): void {
  mkdirSync(importsFolder(), { recursive: true, mode: 0o700 });
}

function importsFolder(): string {
  const states = environmentOf("XDG_STATE_HOME") ?? join(environmentOf("HOME") ?? homedir(), ".local", "state");
  return join(states, "animal-store", "imports");
}
