import type { IndexedFilter } from "../../../domain/event.ts";
import type { EventWatch } from "../../events.ts";
import type { EventPage, EventStore, LogEnds, LogMark } from "../../store.ts";
import { deletionBatchSize } from "../../stored-outcome.ts";
import { createQuery, overestimatedRow, type Parameter, type Query } from "../query.ts";
import type { Connection } from "../servers/connection.ts";
import { batchRange, type EventRow, idAtPosition, lastPosition, rowColumns, rowsUpTo, splitRow } from "./event-rows.ts";
import { waitForAppends } from "./event-sequencer.ts";

export function createEventStore(read: Query, readPrimary: Query, watch: EventWatch): EventStore {
  // While an append waits for standbys, a standby may already show the appended events, but the primary does not. So reads on the primary
  // wait for the append: otherwise, an event that a client has read from a standby would seem not to exist.
  const readNewest = createQuery(readPrimary.schema, async (...statement) => {
    await readPrimary(waitForAppends(readPrimary.schema));
    return await readPrimary(...statement);
  });
  return {
    read: (filter, after, limit) =>
      filter.types || filter.subject !== undefined
        ? readEvents(read, filter, "ascending", after, limit)
        : readNext(read, after, limit),
    async readBackwards(filter, from, limit) {
      const start = from ?? Number.MAX_SAFE_INTEGER;
      const { events, end } = await readEvents(read, filter, "descending", start, limit);
      const isBehind = from !== undefined && (end?.position ?? 0) < from;
      return isBehind ? (await readEvents(readNewest, filter, "descending", start, limit)).events : events;
    },
    async idAt(position) {
      return (await idAt(read, position)) ?? (await idAt(readNewest, position));
    },
    ends: () => readEnds(read),
    watch: (onMore) => watch.add(onMore),
  };
}

export async function measureEventLog(read: Query): Promise<number> {
  const tables = ["events", "event_inbox"].map((table) => `pg_total_relation_size('${read.schema}.${table}')`);
  const [row] = await read<{ bytes: number }>(`SELECT (${tables.join(" + ")})::float8 AS bytes`);
  return row?.bytes ?? 0;
}

/** Deletes a batch of the oldest events, but never the newest event, and leaves no gap. Returns true if there may be more to delete. */
export async function deleteExpiredEvents({ query }: Connection, before: number): Promise<boolean> {
  const removed = await query(
    `WITH oldest AS (
       SELECT position, at FROM ${query.schema}.events WHERE position > 0 AND position < (SELECT max(position) FROM ${query.schema}.events)
       ORDER BY position LIMIT ${deletionBatchSize}
     )
     DELETE FROM ${query.schema}.events WHERE position IN (
       SELECT position FROM oldest
       WHERE position < coalesce((SELECT min(position) FROM oldest WHERE at >= $1), ${Number.MAX_SAFE_INTEGER})
     ) RETURNING position`,
    [before],
  );
  return removed.length === deletionBatchSize;
}

/** Reads events of all types. The server counts the events of each row only if the event log has a gap. */
async function readNext(read: Query, after: number, limit: number): Promise<EventPage> {
  const page = await readEvents(read, {}, "consecutive", after, limit);
  const reached = page.events.at(-1)?.position ?? after;
  const isWhole = page.events.length === limit || reached >= (page.end?.position ?? 0);
  return isWhole ? page : await readEvents(read, {}, "ascending", after, limit);
}

/** Reads a page and the end of the event log with one statement: with two, the page could seem to skip events before the end. */
async function readEvents(
  read: Query,
  filter: IndexedFilter,
  readOrder: ReadOrder,
  start: number,
  limit: number,
): Promise<EventPage> {
  const parameters: Parameter[] = [start];
  const maxRows = limit <= defaultMaxRows ? defaultMaxRows : largeMaxRows;
  const walk = walkIndex(read.schema, filter, readOrder, parameters, maxRows);
  const maxEvents = `$${parameters.push(limit)}`;
  const isDescending = readOrder === "descending";
  const order = isDescending ? " DESC" : "";
  const wantedCount = isDescending ? "least(size, $1 - position + 1)" : `least(size, ${lastPosition} - $1)`;
  const isCounted = filter.subject === undefined && readOrder !== "consecutive";
  const rowsQuery = isCounted ? rowsUpTo(maxEvents, walk, order, wantedCount) : `(${walk})`;
  // With a subject, reads one more row: the batch that is read for the subject may not contain an event of the subject.
  const rowLimit = filter.subject === undefined ? maxEvents : `${maxEvents} + 1`;
  const rows = await read<PageRow>(
    `SELECT page.position, page.size, page.id, page.type, page.subject, page.body, newest.position AS end_position, newest.id AS end_id
     FROM (${newestMarkIn(read.schema)}) AS newest
     LEFT JOIN ${rowsQuery} AS page ON true
     ORDER BY page.position${order} LIMIT ${rowLimit}`,
    parameters,
  );
  const [first] = rows;
  const isWanted = (position: number, subject: string) =>
    (isDescending ? position <= start : position > start) && (filter.subject ?? subject) === subject;
  const events = rows.flatMap((row) => {
    if (row.position === null) return [];
    const eventsOfRow = splitRow(row, isWanted);
    return isDescending ? eventsOfRow.reverse() : eventsOfRow;
  });
  return {
    events: events.slice(0, limit),
    end: first && { position: Number(first.end_position), id: first.end_id },
  };
}

/** "consecutive" is ascending in an event log without gaps. */
type ReadOrder = "ascending" | "consecutive" | "descending";

/** Returns a condition for rows that have events after the start, which is `$1`. The limit is `$2`. */
function rowsToReadCondition(schema: string, readOrder: ReadOrder): string {
  if (readOrder === "descending") return "true";
  if (readOrder === "ascending") return `${lastPosition} > $1`;
  return `${lastPosition} > $1 AND position <= greatest($1,
    coalesce((SELECT position FROM ${schema}.events WHERE position > 0 ORDER BY position LIMIT 1), 0)) + $2`;
}

/** Returns SQL that walks along the only index with this order, like `walkIndex` in pages.ts. */
function walkIndex(
  schema: string,
  { types, subject }: IndexedFilter,
  readOrder: ReadOrder,
  parameters: Parameter[],
  maxRows: number,
): string {
  const isDescending = readOrder === "descending";
  const [behind, from, within, order] = isDescending ? ["<=", "<=", ">=", " DESC"] : [">", ">=", "<=", ""];
  const rowOfStart = `coalesce((SELECT position FROM ${schema}.events WHERE position <= $1 ORDER BY position DESC LIMIT 1), 0)`;
  const firstRow = isDescending ? "$1" : rowOfStart;
  const condition = rowsToReadCondition(schema, readOrder);
  const walk = (range: string, limit = maxRows) =>
    `SELECT ${rowColumns} FROM ${schema}.events, ${overestimatedRow} WHERE ${range} LIMIT ${limit}`;
  if (subject === undefined) {
    if (!types) return walk(`position ${from} ${firstRow} AND position > 0 AND ${condition} ORDER BY position${order}`);
    // One walk per type: a plan for a list of types would depend on the length of the list, so the server would plan each time.
    const walkType = (type: string) =>
      walk(
        `(events.type, position) ${from} (${type}, ${firstRow}) AND events.type ${within} ${type} AND ${condition}
       ORDER BY events.type${order}, position${order}`,
      );
    return types.map((type) => `(${walkType(`$${parameters.push(type)}`)})`).join(" UNION ALL ");
  }
  parameters.push(subject);
  const single = walk(
    `(subject, position) ${behind} ($2, $1) AND subject ${within} $2 ORDER BY subject${order}, position${order}`,
  );
  const range = batchRange(subject);
  if (!range) return single;
  const [lowest, highest] = range.map((end) => `$${parameters.push(end)}`);
  const batch = walk(`subject >= ${lowest} AND subject <= ${highest} ORDER BY subject DESC`, 1);
  return `(${single}) UNION ALL (${batch})`;
}

type PageRow = (EventRow | { readonly position: null }) & { readonly end_position: string; readonly end_id: string };

/** Maximum number of rows for the default limit of a request: one more than the limit. Larger limits have a separate query plan. */
const defaultMaxRows = 101;
const largeMaxRows = 1_000;

export async function idAt(read: Query, position: number): Promise<string | undefined> {
  const rowQuery = `SELECT * FROM ${read.schema}.events WHERE position <= $1 AND position > 0 ORDER BY position DESC LIMIT 1`;
  const text = `SELECT ${idAtPosition("$1")} AS id FROM (${rowQuery}) AS row WHERE $1 <= ${lastPosition}`;
  const [event] = await read<{ id: string }>(text, [position]);
  return event?.id;
}

export async function readNewestMark(read: Query): Promise<LogMark | undefined> {
  return await readMark(read, newestMarkIn(read.schema));
}

async function readEnds(read: Query): Promise<LogEnds | undefined> {
  const oldest = await readMark(
    read,
    `SELECT position, ${idAtPosition("position")} AS id FROM ${read.schema}.events WHERE position > 0 ORDER BY position LIMIT 1`,
  );
  const newest = await readNewestMark(read);
  return oldest && newest && { oldest, newest };
}

function newestMarkIn(schema: string): string {
  return `SELECT ${lastPosition} AS position, id FROM ${schema}.events WHERE position > 0 ORDER BY events.position DESC LIMIT 1`;
}

async function readMark(read: Query, text: string): Promise<LogMark | undefined> {
  const [row] = await read<{ position: string; id: string }>(text);
  return row && { position: Number(row.position), id: row.id };
}
