import type { Int64 } from "../../../base/int64.ts";
import { maxShownItems } from "../../check.ts";
import {
  type Item,
  type LogExtent,
  type ReplayedEvent,
  type ReplayedKind,
  type ReplaySource,
  replayedTables,
} from "../../replay.ts";
import { readInventory } from "../inventory.ts";
import { getRowDecoder, parseDigits, type Row } from "../pages.ts";
import { type Query, toArray } from "../query.ts";
import { eventCount, inBatchCondition, lastPosition, selectEvents } from "./event-rows.ts";

/** Returns the source of a replay. `query` must run in a transaction that began with `beginSnapshot`. */
export function createReplaySource(query: Query): ReplaySource {
  const oldestQuery = `SELECT min(position) FROM ${query.schema}.events WHERE position > 0`;
  return {
    readExtent: () => readExtent(query),
    findOldest: async () => Number((await query<{ min: string | null }>(oldestQuery))[0]?.min),
    readEvents: () => readBySubject(query),
    readCurrent: (kind, ids) => readCurrent(query, kind, ids),
    async findUnlogged(kind) {
      const hasEvent = (table: string) =>
        `EXISTS (SELECT 1 FROM ${query.schema}.${table} AS logged WHERE logged.subject = '${kind}/' || stored.id)`;
      const rows = await query<{ id: string }>(
        `SELECT id FROM ${query.schema}.${kind} AS stored WHERE NOT ${hasEvent("events")} AND NOT ${hasEvent("event_inbox")}
         ${kind === "pets" ? `AND NOT ${inBatchCondition(query.schema, "stored.id")}` : ""} ORDER BY id LIMIT ${maxShownItems}`,
      );
      return rows.map(({ id }) => parseDigits(id));
    },
  };
}

async function readExtent(query: Query): Promise<LogExtent> {
  const [row] = await query<Omit<LogExtent, "inventory">>(
    `SELECT coalesce(min(position), 0)::float8 AS oldest, coalesce(max(${lastPosition}), 0)::float8 AS newest,
            coalesce(sum(${eventCount}), 0)::float8 AS count,
            EXISTS (SELECT 1 FROM ${query.schema}.events WHERE position = 0) AS "isOlderThanLog"
     FROM ${query.schema}.events WHERE position > 0`,
  );
  if (!row) throw new Error("An aggregate returned no row.");
  return { ...row, inventory: await readInventory(query) };
}

/** Reads the sorted events from a cursor. The server sorts on disk if the events do not fit into its memory. */
async function* readBySubject(query: Query): AsyncIterable<readonly ReplayedEvent[]> {
  await query(
    `DECLARE replayed NO SCROLL CURSOR FOR
       SELECT position, id, type, subject, body FROM (
         SELECT position, 0 AS number, id, type, subject, body FROM (${selectEvents(`${query.schema}.events`)}) AS events WHERE position > 0
         UNION ALL SELECT NULL, number, id, type, subject, body FROM ${query.schema}.event_inbox
       ) AS logged ORDER BY subject, position NULLS LAST, number`,
  );
  for (;;) {
    const rows = await query<ReplayedEvent>(`FETCH ${pageSize} FROM replayed`);
    yield rows.map((row) => ({ ...row, position: row.position === null ? null : Number(row.position) }));
    if (rows.length === 0) return;
  }
}

const pageSize = 1_000;

async function readCurrent(query: Query, kind: ReplayedKind, ids: readonly Int64[]): Promise<Item[]> {
  const table = replayedTables[kind];
  const text = `SELECT ${table.selected} FROM ${query.schema}.${table.name} WHERE id = ANY($1::bigint[])`;
  const rows = await query<Row>(text, [toArray("INT8", ids)]);
  return rows.map(getRowDecoder(table)) as unknown as Item[];
}
