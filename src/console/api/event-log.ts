import { useQuery } from "@tanstack/react-query";
import {
  type AnimalStore,
  ConflictError,
  type Event,
  type EventType,
  GoneError,
} from "../../../packages/client/src/index.ts";
import { useAction } from "./action.ts";
import { queryKeys, useTools } from "./queries.ts";
import { maxPageSize } from "./store.ts";

export interface EventLog {
  readonly events: readonly Event[];
  readonly endCursor: string | undefined;
  readonly olderCursor: string | undefined;
}

interface LogFilter {
  readonly type?: readonly EventType[] | undefined;
  readonly subject?: string | undefined;
}

export function useEventLog(filter: LogFilter, isEnough: (log: EventLog) => boolean = () => true) {
  const { store, queries } = useTools();
  const queryKey = [...queryKeys.events, filter.type ?? [], filter.subject ?? ""];
  const log = useQuery({
    queryKey,
    refetchInterval: 10_000,
    queryFn: async () => {
      const cached = queries.getQueryData<EventLog>(queryKey);
      const newer = cached && (await readNewer(store, filter, cached.endCursor));
      if (!newer) return await readLog(store, filter, isEnough);
      const current = queries.getQueryData<EventLog>(queryKey) ?? cached;
      return { ...current, events: [...newer.events, ...current.events], endCursor: newer.endCursor };
    },
  });
  const loadOlder = useAction({
    mutationFn: async () => {
      const { olderCursor } = queries.getQueryData<EventLog>(queryKey) ?? {};
      if (olderCursor === undefined) return;
      const page = await readOlder(store, filter, olderCursor);
      queries.setQueryData<EventLog>(
        queryKey,
        (now) => now && { ...now, events: [...now.events, ...page.items], olderCursor: page.next },
      );
    },
  });
  return { ...log, loadOlder };
}

/** Reads the end cursor before the pages: events that arrive meanwhile come after this cursor, so that no event is missed. */
async function readLog(store: AnimalStore, filter: LogFilter, isEnough: (log: EventLog) => boolean): Promise<EventLog> {
  const { next: endCursor } = await store.events.list({ ...filter, cursor: "latest" }).page();
  let log: EventLog = { events: [], endCursor, olderCursor: endCursor };
  do {
    const { items, next } = await readOlder(store, filter, log.olderCursor);
    log = { ...log, events: [...log.events, ...items], olderCursor: next };
  } while (log.olderCursor !== undefined && !isEnough(log));
  return log;
}

function readOlder(store: AnimalStore, filter: LogFilter, cursor: string | undefined) {
  return store.events.list({ ...filter, sort: "-position", cursor, limit: maxPageSize }).page();
}

/** Returns the events after a cursor; undefined if they are too many or the cursor is invalid: the log must be reread. */
async function readNewer(store: AnimalStore, filter: LogFilter, after: string | undefined) {
  const events: Event[] = [];
  let endCursor = after;
  try {
    for await (const { items, next } of store.events.list({ ...filter, cursor: after, limit: maxPageSize }).pages()) {
      events.unshift(...items.toReversed());
      endCursor = next;
      if (events.length >= maxNewerEvents) return undefined;
    }
  } catch (error) {
    if (error instanceof ConflictError || error instanceof GoneError) return undefined;
    throw error;
  }
  return { events, endCursor };
}

const maxNewerEvents = 1_000;
