import type { EventFilter, EventType, LoggedEvent } from "../../domain/event.ts";
import { tidyingStep } from "../conclusion.ts";
import { type EventWatch, mergeByPosition } from "../events.ts";
import type { EventStore, LogEnds, LogMark } from "../store.ts";
import type { Connection } from "./connection.ts";
import { oneTakenForMany } from "./pages.ts";
import { arrayOf, type Parameter, type Query } from "./query.ts";

export function eventStore(read: Query, readPrimary: Query, watch: EventWatch): EventStore {
  return {
    async read(filter, after, limit) {
      // The end first: what comes in between then is on the page, and not passed over.
      const end = await newestOf(read);
      return { events: await readEvents(read, filter, after, limit), end };
    },
    async idAt(position) {
      // What a standby does not have yet, the primary may.
      return (await idAt(read, position)) ?? (await idAt(readPrimary, position));
    },
    ends: () => readEnds(read),
    watch: (onMore) => watch.add(onMore),
  };
}

/** The position of the newest event, 0 if there is none. */
export async function newestPosition(read: Query): Promise<number> {
  return (await newestOf(read))?.position ?? 0;
}

/** Removes some of the oldest events, but never the newest of all. Returns whether there may be more to remove. */
export async function forgetEvents({ query }: Connection, before: number): Promise<boolean> {
  const removed = await query(
    `DELETE FROM store.events WHERE at < $1 AND position IN (
       SELECT position FROM store.events WHERE position < (SELECT max(position) FROM store.events)
       ORDER BY position LIMIT ${tidyingStep}
     ) RETURNING position`,
    [before],
  );
  return removed.length === tidyingStep;
}

async function readEvents(read: Query, { types, subject }: EventFilter, after: number, limit: number) {
  if (subject === undefined) {
    if (!types) return await walk(read, "position > $1 ORDER BY position", [after], limit);
    const ofTypes = types.map((type) =>
      walk(read, "(type, position) > ($1, $2) AND type <= $1 ORDER BY type, position", [type, after], limit),
    );
    return mergeByPosition(await Promise.all(ofTypes), limit);
  }
  const ofSubject = "(subject, position) > ($1, $2) AND subject <= $1";
  const order = "ORDER BY subject, position";
  if (!types) return await walk(read, `${ofSubject} ${order}`, [subject, after], limit);
  const wanted = arrayOf(types, "TEXT");
  return await walk(read, `${ofSubject} AND type = ANY($3::text[]) ${order}`, [subject, after, wanted], limit);
}

/** Along the one index that has this order; as with pages, whatever the statistics say. */
async function walk(read: Query, way: string, parameters: Parameter[], limit: number): Promise<LoggedEvent[]> {
  const rows = await read<EventRow>(
    `SELECT * FROM (
       SELECT position, id, type, subject, body FROM store.events, ${oneTakenForMany} WHERE ${way} LIMIT ${mostRows}
     ) AS page LIMIT $${parameters.length + 1}`,
    [...parameters, limit],
  );
  return rows.map(({ position, id, type, subject, body }) => ({ position: Number(position), id, type, subject, body }));
}

interface EventRow {
  readonly position: string;
  readonly id: string;
  readonly type: EventType;
  readonly subject: string;
  readonly body: string;
}

/** That are asked for at once. */
const mostRows = 1_000;

async function idAt(read: Query, position: number): Promise<string | undefined> {
  const [row] = await read<{ id: string }>("SELECT id FROM store.events WHERE position = $1", [position]);
  return row?.id;
}

async function newestOf(read: Query): Promise<LogMark | undefined> {
  const [row] = await read<MarkRow>("SELECT position, id FROM store.events ORDER BY position DESC LIMIT 1");
  return row && markOf(row);
}

async function readEnds(read: Query): Promise<LogEnds | undefined> {
  const [row] = await read<MarkRow>("SELECT position, id FROM store.events ORDER BY position LIMIT 1");
  const newest = await newestOf(read);
  return row && newest && { oldest: markOf(row), newest };
}

interface MarkRow {
  readonly position: string;
  readonly id: string;
}

function markOf({ position, id }: MarkRow): LogMark {
  return { position: Number(position), id };
}
