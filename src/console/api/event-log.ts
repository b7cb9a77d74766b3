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
  readonly end: string | undefined;
  readonly older: string | undefined;
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
      const known = queries.getQueryData<EventLog>(queryKey);
      const newer = known && (await readNewer(store, filter, known.end));
      if (!newer) return await readLog(store, filter, isEnough);
      const current = queries.getQueryData<EventLog>(queryKey) ?? known;
      return { ...current, events: [...newer.events, ...current.events], end: newer.end };
    },
  });
  const loadOlder = useAction({
    mutationFn: async () => {
      const { older } = queries.getQueryData<EventLog>(queryKey) ?? {};
      if (older === undefined) return;
      const page = await readOlder(store, filter, older);
      queries.setQueryData<EventLog>(
        queryKey,
        (now) => now && { ...now, events: [...now.events, ...page.items], older: page.next },
      );
    },
  });
  return { ...log, loadOlder };
}

/** Reads the end of the event log first, so that no event between that end and the pages is missed. */
async function readLog(store: AnimalStore, filter: LogFilter, isEnough: (log: EventLog) => boolean): Promise<EventLog> {
  const { next: end } = await store.events.list({ ...filter, cursor: "latest" }).page();
  let log: EventLog = { events: [], end, older: end };
  do {
    const { items, next } = await readOlder(store, filter, log.older);
    log = { ...log, events: [...log.events, ...items], older: next };
  } while (log.older !== undefined && !isEnough(log));
  return log;
}

function readOlder(store: AnimalStore, filter: LogFilter, cursor: string | undefined) {
  return store.events.list({ ...filter, sort: "-position", cursor, limit: maxPageSize }).page();
}

/** Returns undefined if there are too many events or the history has changed: the log must then be reread. */
async function readNewer(store: AnimalStore, filter: LogFilter, after: string | undefined) {
  const events: Event[] = [];
  let end = after;
  try {
    for await (const { items, next } of store.events.list({ ...filter, cursor: after, limit: maxPageSize }).pages()) {
      events.unshift(...items.toReversed());
      end = next;
      if (events.length >= maxNewerEvents) return undefined;
    }
  } catch (error) {
    if (error instanceof ConflictError || error instanceof GoneError) return undefined;
    throw error;
  }
  return { events, end };
}

const maxNewerEvents = 1_000;
