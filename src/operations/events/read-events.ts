import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import { Turns } from "../../base/turn.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type EventFilter, type IndexedFilter, isRestricted, type LoggedEvent } from "../../domain/event.ts";
import { beforeFirst, cursorAfter, type EventCursor, isAfter } from "../../domain/event-cursor.ts";
import type { EventStore, LogEnds } from "../../store/store.ts";

/** What a reader asks for, and may see. */
export interface EventRequest {
  readonly filter: EventFilter;
  readonly limit: number;
  readonly seesAll: boolean;
  /** Whether somebody still waits for it: to be led past many events takes a while. */
  readonly isAwaited?: (() => boolean) | undefined;
}

class Wanted {
  readonly limit: number;
  /** What the log is read by. */
  readonly indexed: IndexedFilter;
  readonly #request: EventRequest;

  constructor(request: EventRequest) {
    const { types, subject } = request.filter;
    this.limit = request.limit;
    this.indexed = subject === undefined ? { types } : { subject };
    this.#request = request;
  }

  of(events: readonly LoggedEvent[]): readonly LoggedEvent[] {
    const { filter, seesAll } = this.#request;
    const { types } = filter;
    return events.filter(({ type }) => (types?.includes(type) ?? true) && (seesAll || !isRestricted(type)));
  }

  get isAwaited(): boolean {
    return this.#request.isAwaited?.() ?? true;
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
  request: EventRequest,
  cursor: EventCursor | undefined,
): Awaitable<EventBatch> {
  const batch = collect(log, new Wanted(request), cursor, []);
  if (cursor || !(batch instanceof Promise)) return batch;
  return batch.catch((error: unknown) => {
    // Meanwhile another event has become the oldest.
    if (error instanceof ServiceError && error.code === "Gone") return readEvents(log, request, cursor);
    throw error;
  });
}

function collect(
  log: EventStore,
  wanted: Wanted,
  start: EventCursor | undefined,
  found: readonly LoggedEvent[],
  step = wanted.limit,
): Awaitable<EventBatch> {
  const from = start ?? beforeFirst;
  return mapAwaitable(log.read(wanted.indexed, from.position, step), ({ events, end }) =>
    // Only now, so that nothing can have been removed in between.
    mapAwaitable(start && requireUnchanged(log, start), () => {
      const all = [...found, ...wanted.of(events)].slice(0, wanted.limit);
      const isEnough = all.length === wanted.limit;
      const last = isEnough ? all.at(-1) : events.at(-1);
      const reached = last ? cursorAfter(last.position, last.id) : from;
      // Of many events in a row, this reader may want none, or see none.
      if (!isEnough && events.length === step) {
        return turns
          .next()
          .then(() =>
            wanted.isAwaited ? collect(log, wanted, reached, all, furtherStep) : new EventBatch(all, reached, true),
          );
      }
      // Nothing up to the end is left, so that the next reading need not start from the last event that fits the filter.
      const next = !isEnough && end && end.position > reached.position ? cursorAfter(end.position, end.id) : reached;
      return new EventBatch(all, next, isEnough);
    }),
  );
}

/**
 * What happened before a place in the log, or until now, the newest first. Throws Conflict if the log is not the one that the
 * cursor is of. Where the events there are no longer kept, nothing older is.
 */
export function readEventsBack(
  log: EventStore,
  request: EventRequest,
  cursor: EventCursor | undefined,
): Awaitable<EventBatch> {
  const start = cursor ?? beforeFirst;
  const isKept = cursor === undefined || mapAwaitable(log.idAt(cursor.position), (id) => isKeptAt(log, cursor, id));
  return mapAwaitable(isKept, (isThere) =>
    isThere ? collectBack(log, new Wanted(request), cursor?.position, []) : new EventBatch([], start, false),
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
  found: readonly LoggedEvent[],
  step = wanted.limit + 1,
): Awaitable<EventBatch> {
  return mapAwaitable(log.readBack(wanted.indexed, from, step), (events) => {
    const last = events.at(-1);
    const all = [...found, ...wanted.of(events)];
    const following = all[wanted.limit];
    if (!following && last && events.length === step) {
      return turns
        .next()
        .then(() =>
          wanted.isAwaited
            ? collectBack(log, wanted, last.position - 1, all, furtherStep)
            : new EventBatch(all, cursorAfter(last.position, last.id), true),
        );
    }
    const next = following ? cursorAfter(following.position, following.id) : beforeFirst;
    return new EventBatch(all.slice(0, wanted.limit), next, following !== undefined);
  });
}

/** Whoever asks for a few events may have to be led past thousands. */
const furtherStep = 1_000;
/** Of all readers together. */
const turns = new Turns();

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

function removed(): ServiceError {
  return new ServiceError(
    "Gone",
    "Events after this cursor have been removed, because they were older than the service keeps them. Read the current state, then start over without a cursor.",
  );
}

function changedHistory(): ServiceError {
  return new ServiceError(
    "Conflict",
    "The history of this store is not the one that the cursor is of: an earlier state was restored. Read the current state, then start over without a cursor.",
  );
}
