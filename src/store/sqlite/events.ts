import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import {
  type Change,
  fillEventTemplate,
  type IdentifiedChange,
  type IndexedFilter,
  type LoggedEvent,
  newEventId,
  type Origin,
  toEventTemplate,
} from "../../domain/event.ts";
import type { EventPage, LogEnds, LogMark } from "../store.ts";
import { deletionBatchSize } from "../stored-outcome.ts";
import { prepareInserts } from "./writer/inserts.ts";

export type Log = (changes: readonly IdentifiedChange[]) => void;

export type EventValues = (string | number)[];

export function prepareAppend(database: Database): (values: EventValues) => void {
  return prepareInserts(database, "events", ["id", "type", "subject", "at", "body"]);
}

export function addEvent(values: EventValues, change: Change, id: Int64, origin: Origin): void {
  const eventId = newEventId();
  const body = fillEventTemplate(toEventTemplate(eventId, change, origin), id);
  values.push(eventId, change.type, `${change.kind}/${id}`, origin.at, body);
}

export function prepareEventDeletion(database: Database) {
  const deleteOldest = database.prepare(
    `WITH oldest AS (
       SELECT position, at FROM events WHERE position > 0 AND position < (SELECT max(position) FROM events)
       ORDER BY position LIMIT ${deletionBatchSize}
     )
     DELETE FROM events WHERE position IN (
       SELECT position FROM oldest
       WHERE position < coalesce((SELECT min(position) FROM oldest WHERE at >= ?1), ${Number.MAX_SAFE_INTEGER})
     )`,
  );
  return {
    /** Deletes a batch of events, but never the newest event. Returns true if there may be more. */
    deleteEvents: (before: number): boolean => deleteOldest.run(before).changes === deletionBatchSize,
  };
}

export function prepareEventReads(database: Database) {
  const readForward = prepareWalk(database, "position > ?", "ASC");
  const readBackwards = prepareWalk(database, "position > 0 AND position <= ?", "DESC");
  const idAt = database.prepare<{ id: string }, [number]>("SELECT id FROM events WHERE position = ? AND position > 0");
  const markQuery = "SELECT position, id FROM events WHERE position > 0 ORDER BY position";
  const oldest = database.prepare<LogMark, []>(`${markQuery} LIMIT 1`);
  const newest = database.prepare<LogMark, []>(`${markQuery} DESC LIMIT 1`);
  return {
    read(filter: IndexedFilter, after: number, limit: number): EventPage {
      return { events: readForward(filter, after, limit), end: newest.get() ?? undefined };
    },
    readBackwards: (filter: IndexedFilter, from = Number.MAX_SAFE_INTEGER, limit: number) =>
      readBackwards(filter, from, limit),
    idAt: (position: number) => idAt.get(position)?.id,
    ends(): LogEnds | undefined {
      const [first, last] = [oldest.get(), newest.get()];
      return first && last ? { oldest: first, newest: last } : undefined;
    },
  };
}

/** Estimates the size of the event log from its newest events: adding up the pages would read all of it. */
export function prepareEventLogEstimate(database: Database): () => number {
  const { ends } = prepareEventReads(database);
  const average = database.prepare<{ bytes: number }, []>(
    `SELECT avg(octet_length(body) + length(id) + 2 * (length(type) + length(subject))) AS bytes
     FROM (SELECT * FROM events WHERE position > 0 ORDER BY position DESC LIMIT 100)`,
  );
  return () => {
    const marks = ends();
    const count = marks ? marks.newest.position - marks.oldest.position + 1 : 0;
    return Math.round(count * (average.get()?.bytes ?? 0) * pageOverhead);
  };
}

/** Measured size of the pages, divided by the size of the values in them. */
const pageOverhead = 1.2;

function prepareWalk(database: Database, bound: string, order: "ASC" | "DESC") {
  const sign = order === "ASC" ? 1 : -1;
  const prepare = <Values extends string[]>(selection: string) =>
    database.prepare<LoggedEvent, [...Values, number, number]>(
      `SELECT position, id, type, subject, body FROM events ${selection} ${bound} ORDER BY position ${order} LIMIT ? + 0`,
    );
  const all = prepare<[]>("WHERE");
  const ofType = prepare<[string]>("INDEXED BY events_by_type WHERE type = ? AND");
  const ofSubject = prepare<[string]>("INDEXED BY events_by_subject WHERE subject = ? AND");
  return ({ types, subject }: IndexedFilter, start: number, limit: number): LoggedEvent[] => {
    if (subject !== undefined) return ofSubject.all(subject, start, limit);
    if (!types) return all.all(start, limit);
    const events = types.flatMap((type) => ofType.all(type, start, limit));
    if (types.length > 1) events.sort((one, other) => sign * (one.position - other.position));
    return events.slice(0, limit);
  };
}
