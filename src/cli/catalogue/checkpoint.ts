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
  /** The file of rejected lines, and its length at that time. */
  readonly rejectsPath: string;
  readonly rejectsBytes: number;
  /** Times of the first batch and of this checkpoint, in milliseconds since 1970. */
  readonly begunAt: number;
  readonly at: number;
  /** A cursor of the event log, which identifies the store; undefined while the log is empty. */
  readonly mark?: string | undefined;
  readonly isDone: boolean;
}

/** Saves the progress of an import in the user's state folder, so that it can be resumed at any time. */
export class Checkpoint {
  readonly #path: string;

  constructor(...identity: readonly string[]) {
    this.#path = join(importsFolder(), `${hashOf(JSON.stringify(identity))}.json`);
  }

  /** Waits until no other process runs the same import, which writes to the same files. Calls `onWait` if it has to wait. */
  lock(onWait: () => void, signal: AbortSignal): Promise<Disposable> {
    return waitForLock(`${this.#path}.lock`, onWait, signal);
  }

  /** Returns undefined if there is no readable checkpoint: then the import starts over, and adds nothing twice within 24 hours. */
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

/** Waits until no other import writes to a file that imports share. Calls `onWait` if it has to wait. */
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
