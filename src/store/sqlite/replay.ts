import type { Database } from "bun:sqlite";
import { maxShownItems } from "../check.ts";
import { type Item, type LogExtent, type ReplayedEvent, type ReplaySource, replayedTables } from "../replay.ts";
import { defaultWalBytes } from "./connection/connect.ts";
import { sizeOf, walOf } from "./file/database-files.ts";
import { PageReader } from "./pages.ts";
import { prepareInventory } from "./reads.ts";

/** Returns a source with short transactions: one transaction for the whole event log would keep SQLite from restarting the WAL. */
export function createReplaySource(database: Database): ReplaySource {
  const oldestQuery = "SELECT position FROM events WHERE position > 0 ORDER BY position LIMIT 1";
  return {
    readExtent: database.transaction(() => readExtent(database)),
    findOldest: () => database.query<{ position: number }, []>(oldestQuery).get()?.position ?? 0,
    readEvents: () => readBySubject(database),
    readCurrent(kind, ids) {
      const reader = new PageReader<Item>(database, replayedTables[kind]);
      return ids.flatMap((id) => reader.get(id) ?? []);
    },
    findUnlogged: (kind) =>
      database
        .query<{ id: bigint }, []>(
          `SELECT id FROM ${kind} WHERE NOT EXISTS (
             SELECT 1 FROM events INDEXED BY events_by_subject WHERE subject = '${kind}/' || ${kind}.id
           ) ORDER BY id LIMIT ${maxShownItems}`,
        )
        .safeIntegers(true)
        .all()
        .map(({ id }) => id),
  };
}

function readExtent(database: Database): LogExtent {
  const { isOlderThanLog, ...extent } = database
    .query<Record<"oldest" | "newest" | "count" | "isOlderThanLog", number>, []>(
      `SELECT coalesce(min(position), 0) AS oldest, coalesce(max(position), 0) AS newest, count(*) AS count,
              EXISTS (SELECT 1 FROM events WHERE position = 0) AS isOlderThanLog
       FROM events WHERE position > 0`,
    )
    .get() ?? { oldest: 0, newest: 0, count: 0, isOlderThanLog: 0 };
  return { ...extent, isOlderThanLog: isOlderThanLog === 1, inventory: prepareInventory(database)() };
}

async function* readBySubject(database: Database): AsyncIterable<readonly ReplayedEvent[]> {
  const events =
    "SELECT position, id, type, subject, body FROM events INDEXED BY events_by_subject WHERE position > ?1 AND";
  const order = `ORDER BY subject, position LIMIT ${pageSize}`;
  using ofSameSubject = database.prepare<ReplayedEvent, [number, string]>(`${events} subject = ?2 ${order}`);
  using ofNextSubjects = database.prepare<ReplayedEvent, [number, string]>(`${events} subject > ?2 ${order}`);
  const wal = walOf(database.filename);
  let walBytes = sizeOf(wal);
  let last: Pick<ReplayedEvent, "position" | "subject"> | undefined = { position: 0, subject: "" };
  while (last) {
    database.run("BEGIN");
    const page = ofSameSubject.all(last.position ?? 0, last.subject);
    if (page.length === 0) page.push(...ofNextSubjects.all(0, last.subject));
    yield page;
    database.run("COMMIT");
    last = page.at(-1);
    const hasGrown = sizeOf(wal) > walBytes;
    for (let waitCount = 0; hasGrown && sizeOf(wal) > defaultWalBytes && waitCount < maxWaits; waitCount++)
      await Bun.sleep(waitMs);
    walBytes = sizeOf(wal);
  }
}

const pageSize = 1_000;
/** A write restarts the WAL only while no transaction reads the WAL, so the reader pauses when the WAL has become long. */
const waitMs = 20;
const maxWaits = 50;
