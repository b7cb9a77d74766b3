import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import { mostShown } from "../check.ts";
import type { Item, LogExtent, ReplayedEvent, ReplayedKind, ReplaySource } from "../replay.ts";
import { categoryReader } from "./categories.ts";
import { inventoryReader } from "./inventory.ts";
import { KeyReader } from "./keys.ts";
import { orderReader } from "./orders.ts";
import { petReader } from "./pets.ts";

/** Within a transaction that reads. */
export function replaySource(database: Database): ReplaySource {
  const readers: Readonly<Record<ReplayedKind, { get(id: Int64): Item | undefined }>> = {
    pets: petReader(database),
    orders: orderReader(database),
    categories: categoryReader(database),
    keys: new KeyReader(database),
  };
  return {
    extent: () => readExtent(database),
    events: () => readBySubject(database),
    current: (kind, ids) => ids.flatMap((id) => readers[kind].get(id) ?? []),
    unlogged: (kind) =>
      database
        .query<{ id: bigint }, []>(
          `SELECT id FROM ${kind} WHERE NOT EXISTS (
             SELECT 1 FROM events INDEXED BY events_by_subject WHERE subject = '${kind}/' || ${kind}.id
           ) ORDER BY id LIMIT ${mostShown}`,
        )
        .safeIntegers(true)
        .all()
        .map(({ id }) => id),
    inventory: inventoryReader(database),
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
  };
}

/**
 * One walk of the index, not a query for each page: within one subject, a page could only be found by passing over all that come
 * before it. The walk holds back no writer, since it has a connection and a transaction of its own.
 */
function* readBySubject(database: Database): Iterable<readonly ReplayedEvent[]> {
  using statement = database.prepare<ReplayedEvent, []>(
    `SELECT position, id, type, subject, body FROM events INDEXED BY events_by_subject
     WHERE position > 0 ORDER BY subject, position`,
  );
  let page: ReplayedEvent[] = [];
  for (const event of statement.iterate()) {
    page.push(event);
    if (page.length < pageSize) continue;
    yield page;
    page = [];
  }
  yield page;
}

const pageSize = 1_000;
