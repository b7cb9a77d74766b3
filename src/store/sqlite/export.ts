import { tooManyExports } from "../../domain/export.ts";
import type { ExportVisitor } from "../store.ts";
import { connectReader, usualLogBytes } from "./connect.ts";
import { notRead } from "./errors.ts";
import { EventReader } from "./events.ts";
import { logOf, sizeOf } from "./file/paths.ts";
import { petReader } from "./pets.ts";
import type { Writer } from "./writer.ts";

/** Whatever an export asks of SQLite goes through `attempt`, which tells of what is wrong with the file. */
export class Exporter {
  readonly #path: string;
  readonly #writer: Writer;
  readonly #attempt: Attempt;
  #running = 0;

  constructor(path: string, writer: Writer, attempt: Attempt) {
    this.#path = path;
    this.#writer = writer;
    this.#attempt = attempt;
  }

  async run(visitor: ExportVisitor): Promise<void> {
    const isLogLong = sizeOf(logOf(this.#path)) > usualLogBytes;
    // SQLite begins its log anew only in a moment in which nobody reads it, which exports that follow each other too closely
    // would never leave it.
    if (isLogLong && this.#running > 0) throw tooManyExports();
    this.#running++;
    try {
      // Another connection makes a log anew if its file is gone, and the writer could no longer save what was in the old one.
      await Promise.try(() => (isLogLong ? this.#writer.emptyLog() : this.#writer.ready())).catch(
        ({ cause }: Error) => {
          throw notRead(String(cause));
        },
      );
      await this.#read(visitor);
    } finally {
      this.#running--;
    }
  }

  /** On a connection of its own, because its transaction lasts for as long as the visitor takes. Nobody waits for it. */
  async #read({ begin, take }: ExportVisitor): Promise<void> {
    const attempt = this.#attempt;
    using database = attempt(() => connectReader(this.#path));
    const { pets, end } = attempt(() => {
      database.run("BEGIN");
      return { pets: petReader(database), end: new EventReader(database).ends()?.newest };
    });
    const read = (after: number) => attempt(() => pets.list([], { limit: lot, after }));
    // What cannot be read at all is told before anything begins.
    let page = read(0);
    begin(end);
    for (;;) {
      await take(page.items);
      if (page.next === undefined) return;
      page = read(Number(page.next));
    }
  }
}

type Attempt = <Result>(read: () => Result) => Result;

const lot = 1_000;
