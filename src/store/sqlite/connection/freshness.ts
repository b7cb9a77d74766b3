import type { Database, Statement } from "bun:sqlite";
import type { DataVersion, Freshness } from "../../store.ts";

/** Reads the version of the database, at most once per tick, because reading it costs. */
export class SqliteFreshness implements Freshness {
  readonly #dataVersion: Statement<{ data_version: number }, []>;
  readonly #updates: Statement<{ count: number }, []>;
  /** Makes the versions of different connections differ, because they cannot be compared. */
  readonly #firstVersion = ++connectionCount * 2 ** 32;
  #moment: DataVersion | undefined;
  #isCurrent = false;

  constructor(database: Database) {
    this.#dataVersion = database.prepare("PRAGMA data_version");
    this.#updates = database.prepare("SELECT count FROM updates");
  }

  currentVersion(): DataVersion {
    if (this.#moment && this.#isCurrent) return this.#moment;
    const version = this.#firstVersion + (this.#dataVersion.get()?.data_version ?? 0);
    if (version !== this.#moment?.commits)
      this.#moment = { commits: version, rewrites: this.#updates.get()?.count ?? 0 };
    this.#isCurrent = true;
    return this.#moment;
  }

  /** Called at the end of the tick. */
  forget(): void {
    this.#isCurrent = false;
  }
}

let connectionCount = 0;
