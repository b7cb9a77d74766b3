import type { EventFilter, EventType } from "../../domain/event.ts";
import { tidyingStep } from "../conclusion.ts";
import type { EventWatch } from "../events.ts";
import type { EventPage, EventStore, LogEnds, LogMark } from "../store.ts";
import type { Connection } from "./connection.ts";
import { appendsEnded } from "./event-settler.ts";
import { oneTakenForMany } from "./pages.ts";
import { arrayOf, type Parameter, type Query } from "./query.ts";

export function eventStore(read: Query, readPrimary: Query, watch: EventWatch): EventStore {
  // A standby shows an event before the primary does, if that waits for the standby's word or for another's: whoever has
  // read it there must not be told by the primary that there is no such event.
  const readNewest: Query = async (...statement) => {
    await readPrimary(appendsEnded);
    return await readPrimary(...statement);
  };
  return {
    read: (filter, after, limit) => readEvents(read, filter, ascending, after, limit),
    async readBack(filter, from, limit) {
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

/**
 * Removes some of the oldest events up to the first that is not old, but never the newest of all: what is left has no gap.
 * Returns whether there may be more to remove.
 */
export async function forgetEvents({ query }: Connection, before: number): Promise<boolean> {
  const removed = await query(
    `WITH oldest AS (
       SELECT position, at FROM store.events WHERE position > 0 AND position < (SELECT max(position) FROM store.events)
       ORDER BY position LIMIT ${tidyingStep}
     )
     DELETE FROM store.events WHERE position IN (
       SELECT position FROM oldest
       WHERE position < coalesce((SELECT min(position) FROM oldest WHERE at >= $1), ${Number.MAX_SAFE_INTEGER})
     ) RETURNING position`,
    [before],
  );
  return removed.length === tidyingStep;
}

/**
 * One statement for the events and for the end of the log, because they must be of one moment: between two, the one that is
 * asked later, or another server, would know of events that the page then seems to have passed.
 */
async function readEvents(
  read: Query,
  filter: EventFilter,
  direction: Direction,
  start: number,
  limit: number,
): Promise<EventPage> {
  const parameters: Parameter[] = [start];
  const page = wayOf(filter, direction, parameters, limit <= usualMost ? usualMost : mostRows);
  const rows = await read<EventRow>(
    `SELECT page.position, page.id, page.type, page.subject, page.body, newest.position AS end_position, newest.id AS end_id
     FROM (SELECT position, id FROM store.events WHERE position > 0 ORDER BY position DESC LIMIT 1) AS newest
     LEFT JOIN (${page}) AS page ON true
     ORDER BY page.position${direction.order} LIMIT $${parameters.push(limit)}`,
    parameters,
  );
  const [first] = rows;
  return {
    events: rows.flatMap(({ position, id, type, subject, body }) =>
      position === null ? [] : [{ position: Number(position), id, type, subject, body }],
    ),
    end: first && { position: Number(first.end_position), id: first.end_id },
  };
}

/** Which way the log is read: how what is to come compares with the start, and with the end of what fits the filter. */
interface Direction {
  readonly onwards: string;
  readonly within: string;
  readonly order: string;
}

const ascending: Direction = { onwards: ">", within: "<=", order: "" };
const descending: Direction = { onwards: "<=", within: ">=", order: " DESC" };

/** Walks along the one index that has the order; as with pages, whatever the statistics say. */
function wayOf(
  { types, subject }: EventFilter,
  { onwards, within, order }: Direction,
  parameters: Parameter[],
  most: number,
): string {
  const walk = (way: string) =>
    `SELECT position, id, events.type, subject, body FROM store.events, ${oneTakenForMany} WHERE ${way} LIMIT ${most}`;
  if (subject === undefined) {
    if (!types) return walk(`position ${onwards} $1 AND position > 0 ORDER BY position${order}`);
    parameters.push(arrayOf(types, "TEXT"));
    const ofOne = walk(
      `(events.type, position) ${onwards} (wanted.type, $1) AND events.type ${within} wanted.type ORDER BY events.type${order}, position${order}`,
    );
    return `SELECT walk.* FROM unnest($2::text[]) AS wanted (type), LATERAL (${ofOne}) AS walk`;
  }
  parameters.push(subject);
  if (types) parameters.push(arrayOf(types, "TEXT"));
  const ofTypes = types ? " AND events.type = ANY($3::text[])" : "";
  return walk(
    `(subject, position) ${onwards} ($2, $1) AND subject ${within} $2${ofTypes} ORDER BY subject${order}, position${order}`,
  );
}

interface EventRow {
  /** Null if there is none. */
  readonly position: string | null;
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  readonly body: string;
  readonly end_position: string;
  readonly end_id: string;
}

/** That are asked for at once: by a request, which may want to know of one more, and by whoever asks for more. */
const usualMost = 101;
const mostRows = 1_000;

async function idAt(read: Query, position: number): Promise<string | undefined> {
  const [row] = await read<{ id: string }>("SELECT id FROM store.events WHERE position = $1 AND position > 0", [
    position,
  ]);
  return row?.id;
}

/** Where the log ends; undefined if it is empty. */
export async function newestMark(read: Query): Promise<LogMark | undefined> {
  const [row] = await read<MarkRow>(
    "SELECT position, id FROM store.events WHERE position > 0 ORDER BY position DESC LIMIT 1",
  );
  return row && markOf(row);
}

async function readEnds(read: Query): Promise<LogEnds | undefined> {
  const [row] = await read<MarkRow>(
    "SELECT position, id FROM store.events WHERE position > 0 ORDER BY position LIMIT 1",
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
