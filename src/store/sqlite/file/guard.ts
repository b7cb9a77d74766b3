import type { Database } from "bun:sqlite";
import { type Stats, statSync } from "node:fs";
import { isAnyPageMissing, logLength, readLog } from "./log.ts";
import { LogIndex, type LogState } from "./log-index.ts";
import { logOf, sizeOf } from "./paths.ts";

/** What is written from now on would be lost. Nothing but a new start can mend that. */
export class FileLost extends Error {
  override readonly name = "FileLost";
}

/** Notices when the files of a database are removed, replaced, cut off or overwritten under the connection that writes to it. */
export class FileGuard {
  readonly #path: string;
  readonly #logPath: string;
  readonly #database: Database;
  readonly #index: LogIndex;
  readonly #log: Stats;
  #file: Stats;
  #state: LogState;

  /** The connection has read something, so that all of its files are there. */
  constructor(path: string, database: Database) {
    this.#path = path;
    this.#logPath = logOf(path);
    this.#database = database;
    this.#index = new LogIndex(path, () => database.query("PRAGMA schema_version").get());
    this.#log = statSync(this.#logPath);
    this.#file = statSync(path);
    this.#state = this.#index.read();
  }

  /** Throws FileLost. Called before each commit, and so must be quick. */
  check(): void {
    const file = statSync(this.#path, orNothing);
    if (!isSame(file, this.#file)) throw new FileLost("its file was removed or replaced");
    const log = statSync(this.#logPath, orNothing);
    if (!log) throw new FileLost(`its -wal file was removed${this.#rescue()}`);
    if (!isSame(log, this.#log)) throw new FileLost("its -wal file was replaced");
    if (this.#index.isRemoved) throw new FileLost("its -shm file was removed or replaced");
    const state = this.#index.read();
    if (log.size < logLength(state) && this.#isLogCutOff()) throw new FileLost("its -wal file was cut off");
    if (file.size < this.#file.size && this.#isFileCutOff()) throw new FileLost("its file was cut off");
    if (file.mtimeMs !== this.#file.mtimeMs && !this.#mayBeFolded()) {
      throw new FileLost(
        "its file was overwritten; to restore a backup, stop the service first, then use animal-store restore",
      );
    }
    this.#file = file;
    this.#state = state;
  }

  /** Called in each transaction that writes. Throws ENOSPC before anything is written. */
  reserve(): void {
    this.#index.reserve(this.#state.frames);
  }

  /** Called after the database is closed. */
  close(): void {
    this.#index.close();
  }

  /** A log that has lost its name can still be read here, and nowhere else. */
  #rescue(): string {
    try {
      const done = this.#database.query<{ busy: number }, []>("PRAGMA wal_checkpoint(FULL)").get();
      return done?.busy === 0 ? "; what was in it has been put into the file" : "";
    } catch {
      return "";
    }
  }

  /** Another program may have emptied the log by the rules just now: then a second look finds that it has no frames. */
  #isLogCutOff(): boolean {
    const expected = logLength(this.#index.read());
    return sizeOf(this.#logPath) < expected && logLength(this.#index.read()) === expected;
  }

  /** The file is shorter than it was also when another program has compacted it. */
  #isFileCutOff(): boolean {
    const { pageCount, pageSize } = this.#index.read();
    const there = Math.floor(sizeOf(this.#path) / pageSize);
    return there === 0 || isAnyPageMissing(there, { pageCount, pages: readLog(this.#path)?.pages ?? new Set() });
  }

  /** SQLite writes to the file for one reason only: to fold the log into it, which shows before it begins. */
  #mayBeFolded(): boolean {
    const { folded, beingFolded, salt, otherSalt } = this.#index.read();
    return (
      folded !== this.#state.folded ||
      beingFolded !== this.#state.beingFolded ||
      beingFolded > folded ||
      salt !== this.#state.salt ||
      otherSalt !== this.#state.otherSalt
    );
  }
}

const orNothing = { throwIfNoEntry: false } as const;

function isSame(one: Stats | undefined, other: Stats): one is Stats {
  return one?.ino === other.ino && one.dev === other.dev;
}
