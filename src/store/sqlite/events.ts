import type { Database, Statement } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import {
  bodyOf,
  type Change,
  type ChangeOf,
  type IndexedFilter,
  type LoggedEvent,
  newEventId,
  type Origin,
  partsOf,
} from "../../domain/event.ts";
import { tidyingStep } from "../conclusion.ts";
import type { EventPage, LogEnds, LogMark } from "../store.ts";
import { insertsOf } from "./writer/inserts.ts";

/** Logs what one write has changed. */
export type Log = (changes: readonly ChangeOf[]) => void;

/** The values of new rows of the log, one after the other. */
export type EventValues = (string | number)[];

/** Appends rows to the log, within the transaction of what they tell of. */
export function prepareAppend(database: Database): (values: EventValues) => void {
  return insertsOf(database, "events", ["id", "type", "subject", "at", "body"]);
}

export function addEvent(values: EventValues, change: Change, id: Int64, origin: Origin): void {
  const eventId = newEventId();
  const body = bodyOf(partsOf(eventId, change, origin), id);
  values.push(eventId, change.type, `${change.kind}/${id}`, origin.at, body);
}

export function prepareEventWrites(database: Database) {
  const forget = database.prepare(
    `WITH oldest AS (
       SELECT position, at FROM events WHERE position > 0 AND position < (SELECT max(position) FROM events)
       ORDER BY position LIMIT ${tidyingStep}
     )
     DELETE FROM events WHERE position IN (
       SELECT position FROM oldest
       WHERE position < coalesce((SELECT min(position) FROM oldest WHERE at >= ?1), ${Number.MAX_SAFE_INTEGER})
     )`,
  );
  return {
    /**
     * Removes some of the oldest events up to the first that is not old, but never the newest of all: what is left has no
     * gap. Returns whether there may be more to remove.
     */
    forgetEvents: (before: number): boolean => forget.run(before).changes === tidyingStep,
  };
}

export class EventReader {
  readonly #forward: EventWalk;
  readonly #back: EventWalk;
  readonly #idAt: Statement<{ id: string }, [number]>;
  readonly #oldest: Statement<LogMark, []>;
  readonly #newest: Statement<LogMark, []>;
  readonly #average: Statement<{ bytes: number }, []>;

  constructor(database: Database) {
    this.#forward = new EventWalk(database, "position > ?", "position");
    this.#back = new EventWalk(database, "position > 0 AND position <= ?", "position DESC");
    this.#idAt = database.prepare("SELECT id FROM events WHERE position = ? AND position > 0");
    this.#oldest = database.prepare("SELECT position, id FROM events WHERE position > 0 ORDER BY position LIMIT 1");
    this.#newest = database.prepare(
      "SELECT position, id FROM events WHERE position > 0 ORDER BY position DESC LIMIT 1",
    );
    this.#average = database.prepare(
      `SELECT avg(octet_length(body) + length(id) + 2 * (length(type) + length(subject))) AS bytes
       FROM (SELECT * FROM events WHERE position > 0 ORDER BY position DESC LIMIT 100)`,
    );
  }

  read(filter: IndexedFilter, after: number, limit: number): EventPage {
    const events = this.#forward.read(filter, after, limit, (one, other) => one.position - other.position);
    return { events, end: this.#newest.get() ?? undefined };
  }

  readBack(filter: IndexedFilter, from = Number.MAX_SAFE_INTEGER, limit: number): LoggedEvent[] {
    return this.#back.read(filter, from, limit, (one, other) => other.position - one.position);
  }

  idAt(position: number): string | undefined {
    return this.#idAt.get(position)?.id;
  }

  ends(): LogEnds | undefined {
    const oldest = this.#oldest.get();
    const newest = this.#newest.get();
    return oldest && newest ? { oldest, newest } : undefined;
  }

  /** Estimates how many bytes the log takes with its indexes: adding up the pages would read all of it. */
  estimateBytes(): number {
    const ends = this.ends();
    const count = ends ? ends.newest.position - ends.oldest.position + 1 : 0;
    return Math.round(count * (this.#average.get()?.bytes ?? 0) * pageOverhead);
  }
}

/** What pages take in relation to what was written to them, as measured. */
const pageOverhead = 1.2;

/** A way through the log from a position on, along the index that has what is asked for. */
class EventWalk {
  readonly #all: Statement<LoggedEvent, [number, number]>;
  readonly #ofType: Statement<LoggedEvent, [string, number, number]>;
  readonly #ofSubject: Statement<LoggedEvent, [string, number, number]>;

  constructor(database: Database, isOnIt: string, order: string) {
    const columns = "position, id, type, subject, body";
    const rest = `ORDER BY ${order} LIMIT ? + 0`;
    this.#all = database.prepare(`SELECT ${columns} FROM events WHERE ${isOnIt} ${rest}`);
    this.#ofType = database.prepare(
      `SELECT ${columns} FROM events INDEXED BY events_by_type WHERE type = ? AND ${isOnIt} ${rest}`,
    );
    this.#ofSubject = database.prepare(
      `SELECT ${columns} FROM events INDEXED BY events_by_subject WHERE subject = ? AND ${isOnIt} ${rest}`,
    );
  }

  read({ types, subject }: IndexedFilter, start: number, limit: number, inOrder: EventOrder): LoggedEvent[] {
    if (subject !== undefined) return this.#ofSubject.all(subject, start, limit);
    if (!types) return this.#all.all(start, limit);
    return merge(
      types.map((type) => this.#ofType.all(type, start, limit)),
      limit,
      inOrder,
    );
  }
}

type EventOrder = (one: LoggedEvent, other: LoggedEvent) => number;

/** The first events of several lists that each have the order. */
function merge(lists: readonly LoggedEvent[][], limit: number, inOrder: EventOrder): LoggedEvent[] {
  const [only] = lists;
  if (only && lists.length === 1) return only;
  return lists.flat().sort(inOrder).slice(0, limit);
}
