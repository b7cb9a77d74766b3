import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import { nextTurn } from "../../base/turn.ts";
import { ServiceError } from "../../domain/errors.ts";
import type { EventFilter, EventIndex, LoggedEvent } from "../../domain/event.ts";
import { beforeFirst, cursorAfter, type EventCursor, isAfter } from "../../domain/event-cursor.ts";
import type { EventStore, LogEnds } from "../../store/store.ts";
import type { ErrorCode } from "../errors.ts";
import { restrictedTypes } from "./event-kinds.ts";

/** What a reader asks for, and may see. */
class Wanted {
  /** What the log is read by. */
  readonly index: EventIndex;

  constructor(
    readonly filter: EventFilter,
    readonly seesAll: boolean,
  ) {
    const { types, subject } = filter;
    this.index = subject === undefined ? { types } : { subject };
  }

  of(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
    const { types } = this.filter;
    return events.filter(({ type }) => (types?.includes(type) ?? true) && (this.seesAll || !restrictedTypes.has(type)));
  }
}

/** What comes after a place in the log, or before it, and where to go on. */
export class EventBatch {
  constructor(
    readonly events: readonly LoggedEvent[],
    readonly next: EventCursor,
    /** Whether there are more already. Of older ones, there will be no more than there are. */
    readonly hasMore: boolean,
  ) {}
}

/** Where somebody starts who wants nothing of what was. */
export function newestCursor(log: EventStore): Awaitable<EventCursor> {
  return mapAwaitable(log.ends(), (ends) => (ends ? cursorAfter(ends.newest.position, ends.newest.id) : beforeFirst));
}

/**
 * Without a cursor, from the oldest event on that is kept. Throws Gone if events after the cursor have been removed already,
 * and Conflict if the log is not the one that the cursor is of.
 */
export function readEvents(
  log: EventStore,
  filter: EventFilter,
  cursor: EventCursor | undefined,
  limit: number,
  seesAll: boolean,
): Awaitable<EventBatch> {
  const start = cursor ?? beforeFirst;
  return mapAwaitable(cursor && requireUnchanged(log, cursor), () =>
    collect(log, new Wanted(filter, seesAll), start, limit, []),
  );
}

function collect(
  log: EventStore,
  wanted: Wanted,
  start: EventCursor,
  limit: number,
  found: readonly LoggedEvent[],
  step = limit,
): Awaitable<EventBatch> {
  return mapAwaitable(log.read(wanted.index, start.position, step), ({ events, end }) => {
    const last = events.at(-1);
    const isFull = events.length === step;
    const all = [...found, ...wanted.of(events)].slice(0, limit);
    const lastTaken = all.length === limit ? all.at(-1) : last;
    const reached = lastTaken ? cursorAfter(lastTaken.position, lastTaken.id) : start;
    // Of many events in a row, this reader may want none, or see none.
    if (isFull && all.length < limit) {
      return nextTurn().then(() => collect(log, wanted, reached, limit, all, furtherStep));
    }
    // Nothing up to the end is left, so that the next reading need not start from the last event that fits the filter.
    const isAtEnd = !isFull && all.length < limit;
    const next = isAtEnd && end && end.position > reached.position ? cursorAfter(end.position, end.id) : reached;
    return new EventBatch(all, next, !isAtEnd);
  });
}

/**
 * What happened before a place in the log, or until now, the newest first. Throws Conflict if the log is not the one that the
 * cursor is of. Where the events there are no longer kept, nothing older is.
 */
export function readEventsBack(
  log: EventStore,
  filter: EventFilter,
  cursor: EventCursor | undefined,
  limit: number,
  seesAll: boolean,
): Awaitable<EventBatch> {
  const start = cursor ?? beforeFirst;
  const isKept = cursor === undefined || mapAwaitable(log.idAt(cursor.position), (id) => isKeptAt(log, cursor, id));
  return mapAwaitable(isKept, (isThere) =>
    isThere
      ? collectBack(log, new Wanted(filter, seesAll), cursor?.position, limit, [])
      : new EventBatch([], start, false),
  );
}

function isKeptAt(log: EventStore, cursor: EventCursor, id: string | undefined): Awaitable<boolean> {
  if (id !== undefined && isAfter(cursor, id)) return true;
  return mapAwaitable(log.ends(), (ends) => {
    const isOlder = cursor.position === 0 || (ends !== undefined && cursor.position < ends.oldest.position);
    if (!isOlder) throw changedHistory();
    return false;
  });
}

/** Reads one more than is asked for, which is where the next page begins. */
function collectBack(
  log: EventStore,
  wanted: Wanted,
  from: number | undefined,
  limit: number,
  found: readonly LoggedEvent[],
  step = limit + 1,
): Awaitable<EventBatch> {
  return mapAwaitable(log.readBack(wanted.index, from, step), (events) => {
    const last = events.at(-1);
    const all = [...found, ...wanted.of(events)];
    if (all.length <= limit && events.length === step && last) {
      return nextTurn().then(() => collectBack(log, wanted, last.position - 1, limit, all, furtherStep));
    }
    const following = all[limit];
    const next = following ? cursorAfter(following.position, following.id) : beforeFirst;
    return new EventBatch(all.slice(0, limit), next, following !== undefined);
  });
}

/** Whoever asks for a few events may have to be led past thousands. */
const furtherStep = 1_000;

/**
 * Throws Gone if events after the cursor have been removed already, and Conflict if the log is not the one that the cursor is
 * of.
 */
export function requireUnchanged(log: EventStore, cursor: EventCursor): Awaitable<void> {
  if (cursor.position === 0) {
    return mapAwaitable(log.ends(), (ends) => {
      if (ends && ends.oldest.position > 1) throw removed();
    });
  }
  return mapAwaitable(log.idAt(cursor.position), (id) => {
    if (id !== undefined && isAfter(cursor, id)) return undefined;
    return mapAwaitable(log.ends(), (ends) => refuse(cursor, ends));
  });
}

function refuse({ position }: EventCursor, ends: LogEnds | undefined): never {
  throw ends && position < ends.oldest.position ? removed() : changedHistory();
}

function removed(): ServiceError<ErrorCode> {
  return new ServiceError<ErrorCode>(
    "Gone",
    "Events after this cursor have been removed, because they were older than the service keeps them. Read the current state, then start over without a cursor.",
  );
}

function changedHistory(): ServiceError<ErrorCode> {
  return new ServiceError<ErrorCode>(
    "Conflict",
    "The history of this store is not the one that the cursor is of: an earlier state was restored. Read the current state, then start over without a cursor.",
  );
}
