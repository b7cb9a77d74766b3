import { ServiceError, tooManyExports } from "../../domain/errors.ts";
import type { Pet } from "../../domain/pet.ts";
import type { ExportVisitor, StoreTelemetry } from "../store.ts";
import { petTable } from "../tables.ts";
import { connectReader, defaultWalBytes } from "./connection/connect.ts";
import { unreadableError } from "./errors.ts";
import { prepareEventReads } from "./events.ts";
import { sizeOf, walOf } from "./file/database-files.ts";
import { PageReader } from "./pages.ts";
import type { Writer } from "./writer/writer.ts";

/** Exports all animals. `attempt` runs each statement, and reports faults of the file. */
export class Exporter {
  runningCount = 0;

  constructor(
    readonly path: string,
    readonly writer: Writer,
    readonly attempt: <Result>(read: () => Result) => Result,
    readonly telemetry: StoreTelemetry,
  ) {}

  async run(visitor: ExportVisitor): Promise<void> {
    const isWalLong = this.#walBytes > defaultWalBytes;
    // SQLite restarts the WAL only while no connection reads it, which overlapping exports would prevent indefinitely.
    if (isWalLong && this.runningCount > 0) throw tooManyExports();
    this.runningCount++;
    try {
      // If the WAL file is gone, a new connection would create another one, and the writer could no longer rescue the old one.
      await Promise.try(() => (isWalLong ? this.writer.truncateWal() : this.writer.requireReady())).catch(
        ({ cause }: Error) => {
          throw unreadableError(String(cause));
        },
      );
      await this.#read(visitor);
    } finally {
      this.runningCount--;
    }
  }

  /** Reads on a separate connection, because the transaction lasts as long as the visitor takes. */
  async #read({ onBegin, onPets }: ExportVisitor): Promise<void> {
    const attempt = this.attempt;
    using database = attempt(() => connectReader(this.path));
    const { pets, end } = attempt(() => {
      database.run("BEGIN");
      return { pets: new PageReader<Pet>(database, petTable), end: prepareEventReads(database).ends()?.newest };
    });
    const read = (after: number) => attempt(() => pets.list([], { limit: pageSize, after }));
    // Reads the first page before the response begins, so that the response can still report an unreadable store.
    let page = read(0);
    onBegin(end);
    const maxWalBytes = this.#walBytes + maxGrowthBytes;
    const requireShortWal = () => {
      if (this.#walBytes <= maxWalBytes) return;
      const reason = "much was written while it was read";
      this.telemetry.note("warn", `an export was cut off, because ${reason}`, { walBytes: this.#walBytes });
      throw new ServiceError("ServiceUnavailable", `The export was cut off, because ${reason}. Try again.`);
    };
    for (;;) {
      await withRepeatedCheck(onPets(page.items), requireShortWal);
      if (page.next === undefined) return;
      requireShortWal();
      page = read(Number(page.next));
    }
  }

  get #walBytes(): number {
    return sizeOf(walOf(this.path));
  }
}

async function withRepeatedCheck(work: Promise<void>, check: () => void): Promise<void> {
  const failure = Promise.withResolvers<never>();
  const timer = setInterval(() => Promise.try(check).catch(failure.reject), checkIntervalMs);
  try {
    await Promise.race([work, failure.promise]);
  } finally {
    clearInterval(timer);
  }
}

const checkIntervalMs = 1_000;

export const maxGrowthBytes = 256 * 2 ** 20;

const pageSize = 1_000;
