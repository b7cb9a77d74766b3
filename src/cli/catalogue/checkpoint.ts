import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { lockFile } from "../../base/file-lock.ts";
import { fileBehindLinks, partialOf, removeLeftovers } from "../../base/files.ts";
import { environmentOf } from "../../config.ts";
import { unlessAborted } from "../terminal/interruption.ts";
import type { Place } from "./batches.ts";

/** How far an import has got. */
export interface Progress {
  /** Everything up to there was added or rejected. */
  readonly place: Place;
  readonly added: number;
  readonly rejected: number;
  /** Where rejects went, and how long that file was then. */
  readonly rejectsPath: string;
  readonly rejectsBytes: number;
  /** When its first batch was sent, and when this was noted, in milliseconds since 1970. */
  readonly begunAt: number;
  readonly at: number;
  /** A place in the store's log of events by which the store is recognised, once there is one. */
  readonly mark?: string | undefined;
  readonly isDone: boolean;
}

/** Remembers how far an import has got, in the user's folder of states, so that it can be resumed at any time. */
export class Checkpoint {
  readonly #path: string;

  /** Of an import that differs from others in one of these. */
  constructor(...identity: readonly string[]) {
    const name = createHash("sha256").update(JSON.stringify(identity)).digest("hex").slice(0, 32);
    this.#path = join(importsFolder(), `${name}.json`);
  }

  /**
   * Returns once no other process runs the same import: it would write to the same files. `onWait` is called if there is one.
   * Disposed of when the import is over.
   */
  async takeTurn(onWait: () => void, signal: AbortSignal): Promise<Disposable> {
    return await locked(`${this.#path}.lock`, onWait, signal);
  }

  /** Undefined if there is none, or none that can be read: then the import begins anew, and adds nothing twice within 24 hours. */
  load(): Progress | undefined {
    removeLeftovers(this.#path);
    try {
      // Earlier versions did not note when an import was begun.
      const progress = { begunAt: 0, ...JSON.parse(readFileSync(this.#path, "utf8")) };
      return Number.isSafeInteger(progress.place?.bytes) ? progress : undefined;
    } catch {
      return undefined;
    }
  }

  /** Either the old one is there or the new one, never half of it. */
  save(progress: Progress): void {
    makeFolder();
    const partial = partialOf(this.#path);
    writeFileSync(partial, JSON.stringify(progress), { mode: 0o600 });
    renameSync(partial, this.#path);
  }
}

/** Returns once no other import writes to the file, which may be that of several. Disposed of when this one is over. */
export async function takeFile(path: string, onWait: () => void, signal: AbortSignal): Promise<Disposable> {
  const name = createHash("sha256").update(fileBehindLinks(path)).digest("hex").slice(0, 32);
  return await locked(join(importsFolder(), `${name}.file.lock`), onWait, signal);
}

async function locked(path: string, onWait: () => void, signal: AbortSignal): Promise<Disposable> {
  makeFolder();
  for (let tries = 0; ; tries++) {
    const lock = lockFile(path);
    if (lock) return lock;
    if (tries === 0) onWait();
    await unlessAborted(setTimeout(lookEveryMs), signal);
  }
}

const lookEveryMs = 100;

function makeFolder(): void {
  mkdirSync(importsFolder(), { recursive: true, mode: 0o700 });
}

function importsFolder(): string {
  const states = environmentOf("XDG_STATE_HOME") ?? join(environmentOf("HOME") ?? homedir(), ".local", "state");
  return join(states, "animal-store", "imports");
}
