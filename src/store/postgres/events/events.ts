import type { IndexedFilter } from "../../../domain/event.ts";
import type { EventWatch } from "../../events.ts";
import type { EventPage, EventStore, LogEnds, LogMark } from "../../store.ts";
import { deletionBatchSize } from "../../stored-outcome.ts";
import { oneTakenForMany } from "../pages.ts";
import { type Parameter, type Query, queryIn } from "../query.ts";
import type { Connection } from "../servers/connection.ts";
import { batchRange, eventsIn, idAtPosition, lastPosition, type Row, rowColumns, rowsFor } from "./event-rows.ts";
import { appendsEnded } from "./event-sequencer.ts";

export function eventStore(read: Query, readPrimary: Query, watch: EventWatch): EventStore {
  // A standby shows an event before the primary does, if that waits for the standby's word or for another's: whoever has
  // read it there must not be told by the primary that there is no such event.
  const readNewest = queryIn(readPrimary.schema, async (...statement) => {
    await readPrimary(appendsEnded(readPrimary.schema));
    return await readPrimary(...statement);
  });
  return {
    read: (filter, after, limit) =>
      filter.types || filter.subject !== undefined
        ? readEvents(read, filter, ascending, after, limit)
        : readNext(read, after, limit),
    async readBackwards(filter, from, limit) {
      const start = from ?? Number.MAX_SAFE_INTEGER;
      const { events, end } = await readEvents(read, filter, descending, start, limit);
      // A standby that has not got that far would leave out what is in between, which nobody would come back for.
      const isBehind = from !== undefined && (end?.position ?? 0) < from;
      return isBehind ? (await readEvents(readNewest, filter, descending, start, limit)).events : events;
    },
    async idAt(position) {
      // What a standby does not have yet, the primary may.
      return (await idAt(read, position)) ?? (await idAt(readNewest, position));
    },
    ends: () => readEnds(read),
    watch: (onMore) => watch.add(onMore),
  };
}

/** The position of the newest event, 0 if there is none. */
export async function newestPosition(read: Query): Promise<number> {
  return (await newestMark(read))?.position ?? 0;
}

/** Returns the size of the log with its indexes. */
export async function eventLogBytes(read: Query): Promise<number> {
  const tables = ["events", "event_inbox"].map((table) => `pg_total_relation_size('${read.schema}.${table}')`);
  const [row] = await read<{ bytes: string }>(`SELECT ${tables.join(" + ")} AS bytes`);
  return Number(row?.bytes);
}

/**
 * Removes some of the oldest events up to the first that is not old, but never the newest of all: what is left has no gap.
 * Returns whether there may be more to remove.
 */
export async function forgetEvents({ query }: Connection, before: number): Promise<boolean> {
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

/**
 * What comes next of everything. Positions are consecutive, so that the rows of a page need not be counted to know which they
 * are; only if some are missing after all, so that less is found than is there, they are.
 */
async function readNext(read: Query, after: number, limit: number): Promise<EventPage> {
  const page = await readEvents(read, {}, consecutive, after, limit);
  const reached = page.events.at(-1)?.position ?? after;
  const isWhole = page.events.length === limit || reached >= (page.end?.position ?? 0);
  return isWhole ? page : await readEvents(read, {}, ascending, after, limit);
}

/**
 * One statement for the events and for the end of the log, because they must be of one moment: between two, the one that is
 * asked later, or another server, would know of events that the page then seems to have passed.
 */
async function readEvents(
  read: Query,
  filter: IndexedFilter,
  direction: Direction,
  start: number,
  limit: number,
): Promise<EventPage> {
  const parameters: Parameter[] = [start];
  const walk = wayOf(read.schema, filter, direction, parameters, limit <= defaultRowLimit ? defaultRowLimit : maxRows);
  const most = `$${parameters.push(limit)}`;
  const { isOnwards, order, left } = direction;
  const isCounted = filter.subject === undefined && direction !== consecutive;
  const rows = isCounted ? rowsFor(most, walk, order, left) : `(${walk})`;
  // An animal has one lot at most, of which nothing may be wanted.
  const mostTaken = filter.subject === undefined ? most : `${most} + 1`;
  const found = await read<PageRow>(
    `SELECT page.position, page.size, page.id, page.type, page.subject, page.body, newest.position AS end_position, newest.id AS end_id
     FROM (SELECT ${lastPosition} AS position, id FROM ${read.schema}.events WHERE position > 0 ORDER BY events.position DESC LIMIT 1) AS newest
     LEFT JOIN ${rows} AS page ON true
     ORDER BY page.position${order} LIMIT ${mostTaken}`,
    parameters,
  );
  const [first] = found;
  const isWanted = (position: number, subject: string) =>
    isOnwards(position, start) && (filter.subject ?? subject) === subject;
  const events = found.flatMap((row) => {
    if (row.position === null) return [];
    const ofRow = eventsIn(row, isWanted);
    return direction === descending ? ofRow.reverse() : ofRow;
  });
  return {
    events: events.slice(0, limit),
    end: first && { position: Number(first.end_position), id: first.end_id },
  };
}

/** Which way the log is read: how what is to come compares with the start, and with the end of what fits the filter. */
interface Direction {
  readonly onwards: string;
  isOnwards(position: number, start: number): boolean;
  readonly within: string;
  readonly order: string;
  /** How the rows that are to come compare with the one that the start is in, or is behind. */
  readonly rowsOnwards: string;
  firstRow(schema: string): string;
  /** What is true only of rows that have something to come, and how much that is. */
  isLeft(schema: string): string;
  readonly left: string;
}

const ascending: Direction = {
  onwards: ">",
  isOnwards: (position, start) => position > start,
  within: "<=",
  order: "",
  rowsOnwards: ">=",
  firstRow: (schema) =>
    `coalesce((SELECT position FROM ${schema}.events WHERE position <= $1 ORDER BY position DESC LIMIT 1), 0)`,
  isLeft: () => `${lastPosition} > $1`,
  left: `least(size, ${lastPosition} - $1)`,
};
/** The same where no position is missing. The limit is the next parameter. */
const consecutive: Direction = {
  ...ascending,
  isLeft: (schema) => `${lastPosition} > $1 AND position <= greatest($1,
    coalesce((SELECT position FROM ${schema}.events WHERE position > 0 ORDER BY position LIMIT 1), 0)) + $2`,
};
const descending: Direction = {
  onwards: "<=",
  isOnwards: (position, start) => position <= start,
  within: ">=",
  order: " DESC",
  rowsOnwards: "<=",
  firstRow: () => "$1",
  isLeft: () => "true",
  left: "least(size, $1 - position + 1)",
};

/** Walks along the one index that has the order; as with pages, whatever the statistics say. */
function wayOf(
  schema: string,
  { types, subject }: IndexedFilter,
  direction: Direction,
  parameters: Parameter[],
  most: number,
): string {
  const { onwards, within, order, rowsOnwards } = direction;
  const [firstRow, isLeft] = [direction.firstRow(schema), direction.isLeft(schema)];
  const walk = (way: string, limit = most) =>
    `SELECT ${rowColumns} FROM ${schema}.events, ${oneTakenForMany} WHERE ${way} LIMIT ${limit}`;
  if (subject === undefined) {
    if (!types)
      return walk(`position ${rowsOnwards} ${firstRow} AND position > 0 AND ${isLeft} ORDER BY position${order}`);
    // One for each, because of a list the planner would have to know how long it is, and plan anew each time.
    const ofOne = (type: string) =>
      walk(
        `(events.type, position) ${rowsOnwards} (${type}, ${firstRow}) AND events.type ${within} ${type} AND ${isLeft}
       ORDER BY events.type${order}, position${order}`,
      );
    return types.map((type) => `(${ofOne(`$${parameters.push(type)}`)})`).join(" UNION ALL ");
  }
  parameters.push(subject);
  const alone = walk(
    `(subject, position) ${onwards} ($2, $1) AND subject ${within} $2 ORDER BY subject${order}, position${order}`,
  );
  const range = batchRange(subject);
  if (!range) return alone;
  const [lowest, highest] = range.map((end) => `$${parameters.push(end)}`);
  const lot = walk(`subject >= ${lowest} AND subject <= ${highest} ORDER BY subject DESC`, 1);
  return `(${alone}) UNION ALL (${lot})`;
}

/** With where the log ends; without a position if there is nothing to come. */
type PageRow = (Row | { readonly position: null }) & { readonly end_position: string; readonly end_id: string };

/** That are asked for at once: by a request, which may want to know of one more, and by whoever asks for more. */
const defaultRowLimit = 101;
const maxRows = 1_000;

/** The id of the event at a position; undefined if there is none. */
export async function idAt(read: Query, position: number): Promise<string | undefined> {
  const row = `SELECT * FROM ${read.schema}.events WHERE position <= $1 AND position > 0 ORDER BY position DESC LIMIT 1`;
  const [found] = await read<{ id: string }>(
    `SELECT ${idAtPosition("$1")} AS id FROM (${row}) AS row WHERE $1 <= ${lastPosition}`,
    [position],
  );
  return found?.id;
}

/** Where the log ends; undefined if it is empty. */
export async function newestMark(read: Query): Promise<LogMark | undefined> {
  const [row] = await read<MarkRow>(
    `SELECT ${lastPosition} AS position, id FROM ${read.schema}.events WHERE position > 0 ORDER BY events.position DESC LIMIT 1`,
  );
  return row && markOf(row);
}

async function readEnds(read: Query): Promise<LogEnds | undefined> {
  const [row] = await read<MarkRow>(
    `SELECT position, ${idAtPosition("position")} AS id FROM ${read.schema}.events WHERE position > 0 ORDER BY position LIMIT 1`,
  );
  const newest = await newestMark(read);
  return row && newest && { oldest: markOf(row), newest };
}

interface MarkRow {
  readonly position: string;
  readonly id: string;
}

function markOf({ position, id }: MarkRow): LogMark {
  return { position: Number(position), id };
}
