import { type Awaitable, mapAwaitable } from "../../base/awaitable.ts";
import { TickQueue } from "../../base/tick.ts";
import { ServiceError } from "../../domain/errors.ts";
import { type EventFilter, type IndexedFilter, type LoggedEvent, restrictedTypes } from "../../domain/event.ts";
import { beforeFirst, cursorAfter, type EventCursor, isCursorAfter } from "../../domain/event-cursor.ts";
import type { EventStore } from "../../store/store.ts";

/** A request for events, by a caller who may see all of them or not. */
export interface EventRequest {
  readonly filter: EventFilter;
  readonly limit: number;
  readonly seesAll: boolean;
  /** Returns false once the client has disconnected. A read may have to skip many events. */
  readonly isClientConnected?: (() => boolean) | undefined;
}

/** Returns the part of the filter by which the log is read. */
function indexed({ filter: { types, subject } }: EventRequest): IndexedFilter {
  return subject === undefined ? { types } : { subject };
}

/** Returns those of the events that the filter includes and the caller may see. */
function wanted({ filter: { types }, seesAll }: EventRequest, events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  return events.filter(({ type }) => (types?.includes(type) ?? true) && (seesAll || !restrictedTypes.has(type)));
}

/** Events after a place in the log, or before it, and the place from which to continue. */
export class EventBatch {
  constructor(
    readonly events: readonly LoggedEvent[],
    readonly next: EventCursor,
    /** True if there are more events already. */
    readonly hasMore: boolean,
  ) {}
}

/** Returns the place after the newest event. */
export function newestCursor(log: EventStore): Awaitable<EventCursor> {
  return mapAwaitable(log.ends(), (ends) => (ends ? cursorAfter(ends.newest.position, ends.newest.id) : beforeFirst));
}

/** Without a cursor, starts at the oldest event that is kept. Throws Gone and Conflict as `requireUnchanged` does. */
export function readEvents(
  log: EventStore,
  request: EventRequest,
  cursor: EventCursor | undefined,
): Awaitable<EventBatch> {
  const batch = collect(log, request, cursor, []);
  if (cursor || !(batch instanceof Promise)) return batch;
  return batch.catch((error: unknown) => {
    // Another event has become the oldest since.
    if (error instanceof ServiceError && error.code === "Gone") return readEvents(log, request, cursor);
    throw error;
  });
}

function collect(
  log: EventStore,
  request: EventRequest,
  start: EventCursor | undefined,
  found: readonly LoggedEvent[],
  step = request.limit,
): Awaitable<EventBatch> {
  const from = start ?? beforeFirst;
  return mapAwaitable(log.read(indexed(request), from.position, step), ({ events, end }) =>
    // Checked after the read, so that no event can have been removed in between.
    mapAwaitable(start && requireUnchanged(log, start), () => {
      const all = [...found, ...wanted(request, events)].slice(0, request.limit);
      const isEnough = all.length === request.limit;
      const last = isEnough ? all.at(-1) : events.at(-1);
      const reached = last ? cursorAfter(last.position, last.id) : from;
      if (!isEnough && events.length === step) {
        return skip(request, new EventBatch(all, reached, true), () =>
          collect(log, request, reached, all, skippedStep),
        );
      }
      // Continues after the end of the log, so that the next read need not skip events that the filter excludes.
      const next = !isEnough && end && end.position > reached.position ? cursorAfter(end.position, end.id) : reached;
      return new EventBatch(all, next, isEnough);
    }),
  );
}

/** Reads on in a later tick, unless the client has disconnected: many events in a row may be unwanted or invisible. */
async function skip(
  { isClientConnected }: EventRequest,
  soFar: EventBatch,
  readOn: () => Awaitable<EventBatch>,
): Promise<EventBatch> {
  await turns.next();
  return (isClientConnected?.() ?? true) ? readOn() : soFar;
}

/** Number of events that are read at once after a page without enough of them. */
const skippedStep = 1_000;
/** Shared by all readers. */
const turns = new TickQueue();

/** Reads from the cursor, or from now, back to older events. Throws Conflict if the cursor belongs to another history. */
export function readEventsBack(
  log: EventStore,
  request: EventRequest,
  cursor: EventCursor | undefined,
): Awaitable<EventBatch> {
  const start = cursor ?? beforeFirst;
  const isKept = cursor === undefined || mapAwaitable(log.idAt(cursor.position), (id) => isKeptAt(log, cursor, id));
  return mapAwaitable(isKept, (isThere) =>
    isThere ? collectBack(log, request, cursor?.position, []) : new EventBatch([], start, false),
  );
}

function isKeptAt(log: EventStore, cursor: EventCursor, id: string | undefined): Awaitable<boolean> {
  if (id !== undefined && isCursorAfter(cursor, id)) return true;
  return mapAwaitable(log.ends(), (ends) => {
    const isOlder = cursor.position === 0 || (ends !== undefined && cursor.position < ends.oldest.position);
    if (!isOlder) throw changedHistory();
    return false;
  });
}

/** Reads one event more than the page has, because the next page starts there. */
function collectBack(
  log: EventStore,
  request: EventRequest,
  from: number | undefined,
  found: readonly LoggedEvent[],
  step = request.limit + 1,
): Awaitable<EventBatch> {
  return mapAwaitable(log.readBackwards(indexed(request), from, step), (events) => {
    const last = events.at(-1);
    const all = [...found, ...wanted(request, events)];
    const following = all[request.limit];
    if (!following && last && events.length === step) {
      const soFar = new EventBatch(all, cursorAfter(last.position, last.id), true);
      return skip(request, soFar, () => collectBack(log, request, last.position - 1, all, skippedStep));
    }
    const next = following ? cursorAfter(following.position, following.id) : beforeFirst;
    return new EventBatch(all.slice(0, request.limit), next, following !== undefined);
  });
}

/** Throws Gone if events after the cursor have been removed, and Conflict if the cursor belongs to another history. */
export function requireUnchanged(log: EventStore, cursor: EventCursor): Awaitable<void> {
  if (cursor.position === 0) {
    return mapAwaitable(log.ends(), (ends) => {
      if (ends && ends.oldest.position > 1) throw removed();
    });
  }
  return mapAwaitable(log.idAt(cursor.position), (id) => {
    if (id !== undefined && isCursorAfter(cursor, id)) return undefined;
    return mapAwaitable(log.ends(), (ends) => {
      throw ends && cursor.position < ends.oldest.position ? removed() : changedHistory();
    });
  });
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
