import type { Database, Statement } from "bun:sqlite";

/**
 * Shares a transaction among all reads of a tick, since taking and releasing SQLite's locks costs as much as a short read. The requests of
 * a tick were all sent before it began, so its start may be the moment of their snapshot.
 */
export class ReadTurn {
  readonly #begin: Statement;
  readonly #commit: Statement;
  #isOpen = false;

  /** `onEnd` is called whenever the next read may return newer data. */
  constructor(
    readonly database: Database,
    readonly onEnd: () => void,
  ) {
    this.#begin = database.prepare("BEGIN");
    this.#commit = database.prepare("COMMIT");
  }

  enter(): void {
    if (this.#isOpen) return;
    this.#begin.run();
    this.#isOpen = true;
    setImmediate(this.end);
  }

  /** Also called after own writes were committed, before they are acknowledged. */
  readonly end = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.onEnd();
    try {
      // SQLite ends the transaction itself after some errors.
      if (this.database.inTransaction) this.#commit.run();
    } catch {
      // If the file is damaged or gone, the next read reports it; nothing waits for this.
      if (this.database.inTransaction) this.database.run("ROLLBACK");
    }
  };
}
