import type { Database } from "bun:sqlite";
import { maxShown } from "../check.ts";
import { type Item, type LogExtent, type ReplayedEvent, type ReplaySource, replayedTables } from "../replay.ts";
import { defaultWalBytes } from "./connection/connect.ts";
import { sizeOf, walOf } from "./file/database-files.ts";
import { PageReader } from "./pages.ts";
import { inventoryReader } from "./reads.ts";

/** Not within a transaction: one that lasted for the whole log would keep SQLite from starting its WAL over. */
export function replaySource(database: Database): ReplaySource {
  const oldest = "SELECT position FROM events WHERE position > 0 ORDER BY position LIMIT 1";
  return {
    readExtent: database.transaction(() => readExtent(database)),
    findOldest: () => database.query<{ position: number }, []>(oldest).get()?.position ?? 0,
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
           ) ORDER BY id LIMIT ${maxShown}`,
        )
        .safeIntegers(true)
        .all()
        .map(({ id }) => id),
  };
}

function readExtent(database: Database): LogExtent {
  const row = database
    .query<{ oldest: number | null; newest: number | null; count: number; isLate: number }, []>(
      `SELECT min(position) AS oldest, max(position) AS newest, count(*) AS count,
              EXISTS (SELECT 1 FROM events WHERE position = 0) AS isLate
       FROM events WHERE position > 0`,
    )
    .get();
  return {
    oldest: row?.oldest ?? 0,
    newest: row?.newest ?? 0,
    count: row?.count ?? 0,
    isLate: row?.isLate === 1,
    inventory: inventoryReader(database)(),
  };
}

/** Each page is read and processed in a transaction of its own. */
async function* readBySubject(database: Database): AsyncIterable<readonly ReplayedEvent[]> {
  const events =
    "SELECT position, id, type, subject, body FROM events INDEXED BY events_by_subject WHERE position > ?1 AND";
  const order = `ORDER BY subject, position LIMIT ${pageSize}`;
  using rest = database.prepare<ReplayedEvent, [number, string]>(`${events} subject = ?2 ${order}`);
  using next = database.prepare<ReplayedEvent, [number, string]>(`${events} subject > ?2 ${order}`);
  const log = walOf(database.filename);
  let logBytes = sizeOf(log);
  let last: Pick<ReplayedEvent, "position" | "subject"> = { position: 0, subject: "" };
  for (;;) {
    database.run("BEGIN");
    const page = rest.all(last.position ?? 0, last.subject);
    if (page.length === 0) page.push(...next.all(0, last.subject));
    yield page;
    database.run("COMMIT");
    const end = page.at(-1);
    if (!end) return;
    last = end;
    const grown = sizeOf(log) > logBytes;
    for (let waits = 0; grown && sizeOf(log) > defaultWalBytes && waits < maxWaits; waits++) await Bun.sleep(waitMs);
    logBytes = sizeOf(log);
  }
}

const pageSize = 1_000;
/** SQLite starts the WAL over at a write while no transaction reads it, so a reader pauses where it has become long. */
const waitMs = 20;
const maxWaits = 50;
