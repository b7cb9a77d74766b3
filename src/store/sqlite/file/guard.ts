import type { Database, Statement } from "bun:sqlite";
import { type Stats, statSync } from "node:fs";
import { isAnyPageMissing, logLength, readLog } from "./log.ts";
import { logIndexOf, logOf, sizeOf } from "./paths.ts";

/** What is written from now on would be lost. Nothing but a new start can mend that. */
export class FileLost extends Error {
  override readonly name = "FileLost";
}

/** Notices when the files of a database are removed, replaced or cut off under the connection that writes to it. */
export class FileGuard {
  readonly #path: string;
  readonly #database: Database;
  readonly #frames: Statement<{ log: number }, []>;
  readonly #pageSize: number;
  readonly #log: Stats;
  readonly #logIndex: Stats;
  #file: Stats;

  /** The connection has read something, so that all of its files are there. */
  constructor(path: string, database: Database) {
    this.#path = path;
    this.#database = database;
    this.#frames = database.prepare("PRAGMA wal_checkpoint(NOOP)");
    this.#pageSize = database.query<{ page_size: number }, []>("PRAGMA page_size").get()?.page_size ?? 0;
    this.#file = statSync(path);
    this.#log = statSync(logOf(path));
    this.#logIndex = statSync(logIndexOf(path));
  }

  /** Throws FileLost. Called before each commit, and so must be quick. */
  check(): void {
    const file = statOf(this.#path);
    if (!isSame(file, this.#file)) throw new FileLost("its file was removed or replaced");
    const log = statOf(logOf(this.#path));
    if (!log) throw new FileLost(`its -wal file was removed${this.#rescue()}`);
    if (!isSame(log, this.#log)) throw new FileLost("its -wal file was replaced");
    if (!isSame(statOf(logIndexOf(this.#path)), this.#logIndex)) {
      throw new FileLost("its -shm file was removed or replaced");
    }
    if (log.size < this.#leastLogLength() && this.#isLogCutOff()) throw new FileLost("its -wal file was cut off");
    if (file.size < this.#file.size && this.#isFileCutOff()) throw new FileLost("its file was cut off");
    this.#file = file;
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

  #leastLogLength(): number {
    return logLength(this.#frames.get()?.log ?? 0, this.#pageSize);
  }

  /** Another program may have emptied the log by the rules just now: then a second look finds that it has no frames. */
  #isLogCutOff(): boolean {
    const expected = this.#leastLogLength();
    return sizeOf(logOf(this.#path)) < expected && this.#leastLogLength() === expected;
  }

  /** The file is shorter than it was also when another program has compacted it. */
  #isFileCutOff(): boolean {
    const row = this.#database.query<{ page_count: number }, []>("PRAGMA page_count").get();
    const pages = readLog(this.#path)?.pages ?? new Set();
    const there = Math.floor(sizeOf(this.#path) / this.#pageSize);
    return there === 0 || isAnyPageMissing(there, { pageCount: row?.page_count ?? 0, pages });
  }
}

function statOf(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false });
}

function isSame(one: Stats | undefined, other: Stats): one is Stats {
  return one?.ino === other.ino && one.dev === other.dev;
}
