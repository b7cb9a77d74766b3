import type { Database, Statement } from "bun:sqlite";

/**
 * Lets all reads of one turn of the event loop share a transaction, since taking and giving back SQLite's locks costs as much
 * as a short read. Requests of one turn had all been sent before it began, and so may be answered as of its beginning.
 */
export class ReadTurn {
  readonly #begin: Statement;
  readonly #commit: Statement;
  #isOpen = false;

  /** `onEnd` is called whenever what is read next may be newer than what was read before. */
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

  /** Also called after our own writes have been committed, before they are acknowledged. */
  readonly end = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.onEnd();
    try {
      // A read that failed badly has ended it already.
      if (this.database.inTransaction) this.#commit.run();
    } catch {
      // If the file is damaged or gone, the next read reports it; nothing waits for this.
      if (this.database.inTransaction) this.database.run("ROLLBACK");
    }
  };
}
