import type { Database } from "bun:sqlite";
import { type Stats, statSync } from "node:fs";
import { ifPossible } from "../../../base/files.ts";
import { sizeOf, walOf } from "./database-files.ts";
import { WalIndex, type WalState } from "./wal.ts";

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

  /** Throws if the files were changed, so that further writes would be lost. Must be fast, because every commit waits for it. */
  check(): void {
    const file = statSync(this.path, statOptions);
    if (!isSame(file, this.#file)) throw new Error("its file was removed or replaced");
    const wal = statSync(walOf(this.path), statOptions);
    if (!wal) throw new Error(`its -wal file was removed${this.#rescue()}`);
    if (!isSame(wal, this.#wal)) throw new Error("its -wal file was replaced");
    if (this.#index.isRemoved) throw new Error("its -shm file was removed or replaced");
    const state = this.#index.read();
    if (wal.size < state.walBytes && this.#isWalTruncated()) throw new Error("its -wal file was cut off");
    // Another program that compacts the file leaves all pages in it.
    if (file.size < this.#file.size && file.size < state.databaseBytes) throw new Error("its file was cut off");
    // SQLite announces each checkpoint in the index before it writes to the file.
    const mayBeCheckpointed = state.isCheckpointing || state.checkpoint !== this.#state.checkpoint;
    if (file.mtimeMs !== this.#file.mtimeMs && !mayBeCheckpointed) {
      throw new Error(
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

  /** Reads the index twice, because another process may truncate the WAL properly between two system calls. */
  #isWalTruncated(): boolean {
    const { walBytes } = this.#index.read();
    return sizeOf(walOf(this.path)) < walBytes && this.#index.read().walBytes === walBytes;
  }
}

const statOptions = { throwIfNoEntry: false } as const;

function isSame(one: Stats | undefined, other: Stats): one is Stats {
  return one?.ino === other.ino && one.dev === other.dev;
}
