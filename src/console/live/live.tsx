import { type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ConflictError, type Event, GoneError, type Page, type Pet } from "../../../packages/client/src/index.ts";
import { markAnimal } from "../animals/marks.ts";
import { queryKeys } from "../api/queries.ts";
import type { StoreSession } from "../api/store.ts";
import { useSession } from "../session/session.tsx";
import { recordChange } from "./unseen-changes.ts";

/** Returns true once the console follows events: data loaded afterwards misses no change by other users. */
export function useLiveUpdates(): boolean {
  const { storeSession } = useSession();
  const queries = useQueryClient();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (!storeSession) return;
    const controller = new AbortController();
    let events: Event[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Events wait for the refetches after earlier events: a query that restarted with every change would never finish.
    const flush = async () => {
      const staleKeys = applyEvents(queries, events, storeSession.isOwn);
      events = [];
      await Promise.all([...staleKeys].map((queryKey) => queries.invalidateQueries({ queryKey })));
      timer = events.length > 0 ? setTimeout(flush, flushDelayMs) : undefined;
    };
    const onEvent = (event: Event | undefined) => {
      if (event) events.push(event);
      else queries.invalidateQueries();
      if (event) timer ??= setTimeout(flush, flushDelayMs);
    };
    followEvents(storeSession, controller.signal, () => setReady(true), onEvent);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [storeSession, queries]);
  return isReady;
}

const flushDelayMs = 100;

/** The queries that an event makes stale, by the noun at the start of the event type, such as `pet` in `pet.created`. */
const staleQueries: Readonly<Record<string, readonly QueryKey[]>> = {
  pet: [queryKeys.inventory, queryKeys.animalNames],
  order: [queryKeys.orders],
  category: [queryKeys.categories],
  key: [queryKeys.keys],
  webhook: [queryKeys.webhooks],
};

/** Applies events to the cached data where possible, and returns the queries to refetch. */
function applyEvents(queries: QueryClient, events: readonly Event[], isOwn: (event: Event) => boolean) {
  const staleKeys = new Set<QueryKey>([queryKeys.events]);
  const updatedPets = new Map<number, Pet>();
  for (const event of events) {
    for (const queryKey of staleQueries[event.type.split(".")[0] ?? ""] ?? []) staleKeys.add(queryKey);
    if (event.type !== "pet.created" && event.type !== "pet.updated" && event.type !== "pet.deleted") continue;
    const { data, type } = event;
    if (type === "pet.updated") updatedPets.set(data.id, data);
    staleKeys.add(queryKeys.animal(String(data.id)));
    if (isOwn(event)) continue;
    markAnimal(data.id, type === "pet.deleted" ? "gone" : "other");
    recordChange(event);
  }
  if (updatedPets.size > 0) showUpdated(queries, updatedPets);
  return staleKeys;
}

function showUpdated(queries: QueryClient, updatedPets: ReadonlyMap<number, Pet>): void {
  queries.setQueriesData<Page<Pet>>({ queryKey: queryKeys.animals }, (page) => {
    if (!page?.items.some(({ id }) => updatedPets.has(id))) return page;
    return { ...page, items: page.items.map((pet) => updatedPets.get(pet.id) ?? pet) };
  });
}

/** A message to the other tabs. A message without an event reports that events were missed. */
interface TabMessage {
  readonly cursor: string | undefined;
  readonly event: Event | undefined;
}

/**
 * Passes each event to `onEvent`, once and in order, until the signal is aborted; undefined reports that events were missed. One tab reads the
 * event stream and passes the events to the other tabs; when that tab is closed, another tab takes over.
 */
async function followEvents(
  { store, channel: name }: StoreSession,
  signal: AbortSignal,
  onReady: () => void,
  onEvent: (event: Event | undefined) => void,
): Promise<void> {
  const readEndCursor = async () => (await store.events.list({ cursor: "latest" }, { signal }).page()).next;
  // If the cursor cannot be read, all data is refetched as soon as the store can be reached.
  let cursor = await readEndCursor().catch(() => undefined);
  if (signal.aborted) return;
  const channel = new BroadcastChannel(name);
  signal.addEventListener("abort", () => channel.close());
  const receive = (message: TabMessage) => {
    cursor = message.cursor;
    onEvent(message.event);
  };
  channel.onmessage = ({ data }: MessageEvent<TabMessage>) => receive(data);
  const publish = (message: TabMessage) => {
    channel.postMessage(message);
    receive(message);
  };
  const stream = async () => {
    if (cursor === undefined) publish({ cursor: await readEndCursor(), event: undefined });
    const events = store.events.stream({ cursor }, { signal });
    for await (const event of events) publish({ cursor: events.cursor, event });
  };
  const streamUntilAborted = async () => {
    while (!signal.aborted) {
      try {
        await stream();
      } catch (error) {
        if (error instanceof ConflictError || error instanceof GoneError) cursor = undefined;
        await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
      }
    }
  };
  onReady();
  // Browsers offer locks only on https and on localhost; without locks, each tab reads its own stream.
  if (navigator.locks) await navigator.locks.request(name, { signal }, streamUntilAborted).catch(() => {});
  else await streamUntilAborted();
}

const retryDelayMs = 2_000;
