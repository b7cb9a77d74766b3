import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import { TickQueue } from "../../base/tick.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type EventFilter, type IndexedFilter, type LoggedEvent, restrictedTypes } from "../../domain/event.ts";
import { beforeFirst, cursorAfter, type EventCursor, isCursorAfter } from "../../domain/event-cursor.ts";
import type { EventStore } from "../../store/store.ts";

export interface EventRequest {
  readonly filter: EventFilter;
  readonly limit: number;
  readonly isAdmin: boolean;
  readonly isClientConnected?: (() => boolean) | undefined;
}

function toIndexedFilter({ filter: { types, subject } }: EventRequest): IndexedFilter {
  return subject === undefined ? { types } : { subject };
}

function selectEvents({ filter: { types }, isAdmin }: EventRequest, events: readonly LoggedEvent[]): LoggedEvent[] {
  return events.filter(({ type }) => (types?.includes(type) ?? true) && (isAdmin || !restrictedTypes.has(type)));
}

export class EventBatch {
  constructor(
    readonly events: readonly LoggedEvent[],
    readonly next: EventCursor,
    /** True if the event log already has more events. */
    readonly hasMore: boolean,
  ) {}
}

export function readNewestCursor(log: EventStore): Awaitable<EventCursor> {
  return mapAwaitable(log.ends(), (ends) => (ends ? cursorAfter(ends.newest.position, ends.newest.id) : beforeFirst));
}

/** Reads the events after the cursor, or from the oldest event on. Throws Gone or Conflict like `requireUnchanged`. */
export function readEvents(
  log: EventStore,
  request: EventRequest,
  cursor: EventCursor | undefined,
): Awaitable<EventBatch> {
  const batch = collectEvents(log, request, cursor, []);
  if (cursor || !(batch instanceof Promise)) return batch;
  return batch.catch((error: unknown) => {
    // The oldest event was removed during the read. The next read starts from the new oldest event.
    if (error instanceof ServiceError && error.code === "Gone") return readEvents(log, request, cursor);
    throw error;
  });
}

function collectEvents(
  log: EventStore,
  request: EventRequest,
  start: EventCursor | undefined,
  collected: readonly LoggedEvent[],
  step = request.limit,
): Awaitable<EventBatch> {
  const from = start ?? beforeFirst;
  return mapAwaitable(log.read(toIndexedFilter(request), from.position, step), ({ events, end }) =>
    // The check comes after the read, because an event could be removed between a check and a later read.
    mapAwaitable(start && (events.length > 0 ? requireUnchanged(log, start) : requireNotReplaced(log, start)), () => {
      const all = [...collected, ...selectEvents(request, events)].slice(0, request.limit);
      const isEnough = all.length === request.limit;
      const last = isEnough ? all.at(-1) : events.at(-1);
      const reachedCursor = last ? cursorAfter(last.position, last.id) : from;
      if (!isEnough && events.length === step) {
        return continueLater(request, new EventBatch(all, reachedCursor, true), () =>
          collectEvents(log, request, reachedCursor, all, eventsPerTick),
        );
      }
      // The cursor moves to the end of the event log, so that the next read does not examine the excluded events again.
      const next =
        !isEnough && end && end.position > reachedCursor.position ? cursorAfter(end.position, end.id) : reachedCursor;
      return new EventBatch(all, next, isEnough);
    }),
  );
}

/** Reads more in a later tick, because the filter may exclude many events in a row. Stops once the client has disconnected. */
async function continueLater(
  { isClientConnected }: EventRequest,
  soFar: EventBatch,
  readMore: () => Awaitable<EventBatch>,
): Promise<EventBatch> {
  await tickQueue.next();
  return (isClientConnected?.() ?? true) ? readMore() : soFar;
}

const eventsPerTick = 1_000;
const tickQueue = new TickQueue();

/** Reads towards older events, from the cursor or the newest event. Throws Conflict if a restore has replaced the event at the cursor. */
export function readEventsBack(
  log: EventStore,
  request: EventRequest,
  cursor: EventCursor | undefined,
): Awaitable<EventBatch> {
  const start = cursor ?? beforeFirst;
  return mapAwaitable(cursor === undefined || areEventsKept(log, cursor), (areKept) =>
    areKept ? collectEventsBack(log, request, cursor?.position, []) : new EventBatch([], start, false),
  );
}

/** Reads one event more than the limit, because the next page starts at that event. */
function collectEventsBack(
  log: EventStore,
  request: EventRequest,
  from: number | undefined,
  collected: readonly LoggedEvent[],
  step = request.limit + 1,
): Awaitable<EventBatch> {
  return mapAwaitable(log.readBackwards(toIndexedFilter(request), from, step), (events) => {
    const last = events.at(-1);
    const all = [...collected, ...selectEvents(request, events)];
    const following = all[request.limit];
    if (!following && last && events.length === step) {
      const soFar = new EventBatch(all, cursorAfter(last.position, last.id), true);
      return continueLater(request, soFar, () =>
        collectEventsBack(log, request, last.position - 1, all, eventsPerTick),
      );
    }
    const next = following ? cursorAfter(following.position, following.id) : beforeFirst;
    return new EventBatch(all.slice(0, request.limit), next, following !== undefined);
  });
}

/**
 * Works like `requireUnchanged`, for a cursor that no readable event follows, but ignores ServiceUnavailable: while a standby is lost,
 * even the event at the cursor may be unreadable. The client then gets an empty page, and can continue at the same cursor.
 */
function requireNotReplaced(log: EventStore, cursor: EventCursor): Awaitable<void> {
  const check = requireUnchanged(log, cursor);
  if (!(check instanceof Promise)) return check;
  return check.catch((error: unknown) => {
    if (!(error instanceof ServiceError && error.code === "ServiceUnavailable")) throw error;
  });
}

/** Throws Gone if events after the cursor were removed, and Conflict if a restore has replaced the event at the cursor. */
export function requireUnchanged(log: EventStore, cursor: EventCursor): Awaitable<void> {
  return mapAwaitable(areEventsKept(log, cursor), (areKept) => {
    if (areKept) return;
    const message =
      "Events after this cursor have been removed, because they were older than the service keeps them. Read the current state, then start over without a cursor.";
    throw new ServiceError("Gone", message);
  });
}

/** Returns false if events after the cursor were removed. Throws Conflict if a restore has replaced the event at the cursor. */
function areEventsKept(log: EventStore, cursor: EventCursor): Awaitable<boolean> {
  if (cursor.position === 0) return mapAwaitable(log.ends(), (ends) => !ends || ends.oldest.position === 1);
  return mapAwaitable(log.idAt(cursor.position), (id) => {
    if (id !== undefined && isCursorAfter(cursor, id)) return true;
    return mapAwaitable(log.ends(), (ends) => {
      if (ends && cursor.position < ends.oldest.position) return false;
      const message =
        "This cursor belongs to another history of the store: an earlier state was restored. Read the current state, then start over without a cursor.";
      throw new ServiceError("Conflict", message);
    });
  });
}
