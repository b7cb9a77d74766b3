import type { Database, Statement } from "bun:sqlite";
import type { DataVersion, Freshness } from "../../store.ts";

/** Shares one transaction among all reads in a tick of the event loop, because SQLite's locks cost as much as a short read. */
export class TickTransaction implements Freshness {
  readonly #begin: Statement;
  readonly #commit: Statement;
  readonly #dataVersion: Statement<{ data_version: number }, []>;
  readonly #updates: Statement<{ count: number }, []>;
  /** Makes the versions of different connections differ, because SQLite's data_version is comparable only within one connection. */
  readonly #firstVersion = ++connectionCount * 2 ** 32;
  #version: DataVersion | undefined;
  #isVersionCurrent = false;
  #isOpen = false;

  constructor(readonly database: Database) {
    this.#begin = database.prepare("BEGIN");
    this.#commit = database.prepare("COMMIT");
    this.#dataVersion = database.prepare("PRAGMA data_version");
    this.#updates = database.prepare("SELECT count FROM updates");
  }

  begin(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(this.end);
  }

  currentVersion(): DataVersion {
    if (this.#version && this.#isVersionCurrent) return this.#version;
    const commits = this.#firstVersion + (this.#dataVersion.get()?.data_version ?? 0);
    if (commits !== this.#version?.commits) this.#version = { commits, rewrites: this.#updates.get()?.count ?? 0 };
    this.#isVersionCurrent = true;
    return this.#version;
  }

  /** Ends the transaction at the end of the tick, or earlier, before a committed write of this process is acknowledged. */
  readonly end = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#isVersionCurrent = false;
    try {
      // After some errors, SQLite has ended the transaction already.
      if (this.database.inTransaction) this.#commit.run();
    } catch {
      // If the file is damaged or gone, the next read reports it.
      if (this.database.inTransaction) this.database.run("ROLLBACK");
    }
  };
}

let connectionCount = 0;
