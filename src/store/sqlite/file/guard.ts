import type { Database } from "bun:sqlite";
import { closeSync, fstatSync, openSync, readSync, type Stats, statSync, writeSync } from "node:fs";
import { ifPossible } from "../../../base/files.ts";
import { sizeOf, walIndexOf, walOf } from "./database-files.ts";
import { frameHeaderBytes, walHeaderBytes, walIndexBytes } from "./wal.ts";

/**
 * Detects that the files of a database were removed, replaced, truncated or overwritten while a connection writes to it. The guard opens
 * the index of the WAL only once, and closes it after the database: closing any descriptor of the file releases SQLite's locks.
 */
export class FileGuard {
  readonly #indexFile: number;
  readonly #words = new Uint32Array(34);
  readonly #halves = new Uint16Array(this.#words.buffer);
  readonly #walStats: Stats;
  #fileStats: Stats;
  #state: WalState;
  #reservedBytes = 0;

  /** `database` must have read something, so that all files of the database exist. */
  constructor(
    readonly path: string,
    readonly database: Database,
  ) {
    this.#indexFile = openSync(walIndexOf(path), "r+");
    this.#walStats = statSync(walOf(path));
    this.#fileStats = statSync(path);
    this.#state = this.#readIndex();
  }

  /** Throws if the files were changed in a way that would lose further writes. Must be fast, because every commit waits for the check. */
  check(): void {
    const file = statSync(this.path, statOptions);
    if (!isSame(file, this.#fileStats)) throw new Error("its file was removed or replaced");
    const wal = statSync(walOf(this.path), statOptions);
    if (!wal) throw new Error(`its -wal file was removed${this.#rescue()}`);
    if (!isSame(wal, this.#walStats)) throw new Error("its -wal file was replaced");
    // Other processes would use a new index, and would not see the locks of this process.
    if (fstatSync(this.#indexFile).nlink === 0) throw new Error("its -shm file was removed or replaced");
    const state = this.#readIndex();
    if (wal.size < state.walBytes && this.#isWalTruncated()) throw new Error("its -wal file was cut off");
    // A file that another program has compacted is shorter, but still contains all pages of the database.
    if (file.size < this.#fileStats.size && file.size < state.databaseBytes) throw new Error("its file was cut off");
    // SQLite announces each checkpoint in the index before it writes to the file.
    const mayBeCheckpointed = state.isCheckpointing || state.checkpoint !== this.#state.checkpoint;
    if (file.mtimeMs !== this.#fileStats.mtimeMs && !mayBeCheckpointed) {
      throw new Error(
        "its file was overwritten; to restore a backup, stop the service first, then use animal-store restore",
      );
    }
    this.#fileStats = file;
    this.#state = state;
  }

  /**
   * Reserves disk space in the index for the transaction that has just begun. Throws ENOSPC before anything is written. Without the space,
   * SQLite could leave holes in the memory-mapped index, and a write to a hole on a full disk would kill the process. The write lock keeps
   * other processes from changing the index beyond its first page.
   */
  reserve(): void {
    const bytes = walIndexBytes(this.#state.frames);
    if (bytes <= this.#reservedBytes) return;
    const content = Buffer.alloc(bytes);
    readSync(this.#indexFile, content, 0, bytes, 0);
    for (let at = firstPageBytes; at < bytes; at += writeSync(this.#indexFile, content, at, bytes - at, at));
    this.#reservedBytes = bytes;
  }

  close(): void {
    closeSync(this.#indexFile);
  }

  #readIndex(): WalState {
    const words = this.#words;
    readSync(this.#indexFile, words, 0, words.byteLength, 0);
    // The two copies of the header differ while another process writes them, or if that process was killed in between.
    if (words[4] !== words[16] || words[8] !== words[20] || words[9] !== words[21]) {
      // SQLite rebuilds an index with an incomplete header when it reads the database.
      this.database.query("PRAGMA schema_version").get();
      return this.#readIndex();
    }
    const frames = words[4] ?? 0;
    // As in the header of the file, 1 means 65536.
    const pageSize = this.#halves[7] === 1 ? 65536 : (this.#halves[7] ?? 0);
    const [checkpointedFrames = 0, checkpointTarget = 0] = [words[24], words[32]];
    return {
      frames,
      walBytes: frames === 0 ? 0 : walHeaderBytes + frames * (frameHeaderBytes + pageSize),
      databaseBytes: (words[5] ?? 0) * pageSize,
      isCheckpointing: checkpointTarget > checkpointedFrames,
      checkpoint: `${checkpointedFrames} ${checkpointTarget} ${words[8]} ${words[9]}`,
    };
  }

  /** Checkpoints a WAL whose name was removed, because only this connection can still read it. */
  #rescue(): string {
    const checkpoint = () => this.database.query<{ busy: number }, []>("PRAGMA wal_checkpoint(FULL)").get();
    return ifPossible(checkpoint)?.busy === 0 ? "; what was in it has been put into the file" : "";
  }

  /** Reads the index twice, because another process may truncate the WAL properly between two system calls. */
  #isWalTruncated(): boolean {
    const { walBytes } = this.#readIndex();
    return sizeOf(walOf(this.path)) < walBytes && this.#readIndex().walBytes === walBytes;
  }
}

interface WalState {
  readonly frames: number;
  /** Minimum length of the WAL. */
  readonly walBytes: number;
  /** Size of the database, including pages that are only in the WAL. */
  readonly databaseBytes: number;
  /** True during a checkpoint, and after one that was interrupted. */
  readonly isCheckpointing: boolean;
  /** A text that changes with every checkpoint and every restart of the WAL. */
  readonly checkpoint: string;
}

/** The first page of the index has the header and the marks of readers, which other processes may change at any time. */
const firstPageBytes = 4096;

const statOptions = { throwIfNoEntry: false } as const;

function isSame(one: Stats | undefined, other: Stats): one is Stats {
  return one?.ino === other.ino && one.dev === other.dev;
}
