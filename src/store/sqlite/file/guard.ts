import type { Database } from "bun:sqlite";
import { type Stats, statSync } from "node:fs";
import { ifPossible } from "../../../base/files.ts";
import { FileLost } from "../errors.ts";
import { sizeOf, walOf } from "./database-files.ts";
import { isAnyPageMissing, readWal, WalIndex, type WalState, walBytes } from "./wal.ts";

/** Detects that the files of a database were removed, replaced, truncated or overwritten while a connection writes to it. */
export class FileGuard {
  readonly #index: WalIndex;
  readonly #wal: Stats;
  #file: Stats;
  #state: WalState;

  /** `database` must have read something, so that all files of the database exist. */
  constructor(
    readonly path: string,
    readonly database: Database,
  ) {
    this.#index = new WalIndex(path, () => database.query("PRAGMA schema_version").get());
    this.#wal = statSync(walOf(path));
    this.#file = statSync(path);
    this.#state = this.#index.read();
  }

  /** Throws FileLost if the files were changed. Must be fast, because every commit waits for the check. */
  check(): void {
    const file = statSync(this.path, statOptions);
    if (!isSame(file, this.#file)) throw new FileLost("its file was removed or replaced");
    const wal = statSync(walOf(this.path), statOptions);
    if (!wal) throw new FileLost(`its -wal file was removed${this.#rescue()}`);
    if (!isSame(wal, this.#wal)) throw new FileLost("its -wal file was replaced");
    if (this.#index.isRemoved) throw new FileLost("its -shm file was removed or replaced");
    const state = this.#index.read();
    if (wal.size < walBytes(state) && this.#isWalTruncated()) throw new FileLost("its -wal file was cut off");
    if (file.size < this.#file.size && this.#isFileTruncated()) throw new FileLost("its file was cut off");
    if (file.mtimeMs !== this.#file.mtimeMs && !this.#mayBeCheckpointed()) {
      throw new FileLost(
        "its file was overwritten; to restore a backup, stop the service first, then use animal-store restore",
      );
    }
    this.#file = file;
    this.#state = state;
  }

  /** Reserves disk space for the transaction that has just begun. Throws ENOSPC before anything is written. */
  reserve(): void {
    this.#index.reserve(this.#state.frames);
  }

  /** Closes the index of the WAL. To be called after the database is closed. */
  close(): void {
    this.#index.close();
  }

  /** Checkpoints a WAL whose name was removed, because only this connection can still read it. */
  #rescue(): string {
    const checkpoint = () => this.database.query<{ busy: number }, []>("PRAGMA wal_checkpoint(FULL)").get();
    return ifPossible(checkpoint)?.busy === 0 ? "; what was in it has been put into the file" : "";
  }

  /** Reads the index twice: if another process has just truncated the WAL properly, the index has no frames at the second reading. */
  #isWalTruncated(): boolean {
    const expected = walBytes(this.#index.read());
    return sizeOf(walOf(this.path)) < expected && walBytes(this.#index.read()) === expected;
  }

  /** Returns true if pages are missing, and false if the file is shorter because another process has compacted it. */
  #isFileTruncated(): boolean {
    const state = this.#index.read();
    const filePages = Math.floor(sizeOf(this.path) / state.pageSize);
    return filePages === 0 || isAnyPageMissing(filePages, { ...state, pages: readWal(this.path)?.pages ?? new Set() });
  }

  /** True if a checkpoint may have changed the file since the last check. The index announces each checkpoint before it begins. */
  #mayBeCheckpointed(): boolean {
    const { checkpointedFrames, checkpointTarget, salts } = this.#index.read();
    const before = this.#state;
    return (
      checkpointTarget > checkpointedFrames ||
      checkpointedFrames !== before.checkpointedFrames ||
      checkpointTarget !== before.checkpointTarget ||
      salts.some((salt, index) => salt !== before.salts[index])
    );
  }
}

const statOptions = { throwIfNoEntry: false } as const;

function isSame(one: Stats | undefined, other: Stats): one is Stats {
  return one?.ino === other.ino && one.dev === other.dev;
}
