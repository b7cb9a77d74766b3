import { type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  type AnimalStore,
  AnimalStoreError,
  ConflictError,
  type Event,
  GoneError,
  type Page,
  type Pet,
} from "../../../packages/client/src/index.ts";
import { markAnimal } from "../animals/marks.ts";
import { queryKeys } from "../api/queries.ts";
import { useSession } from "../session/session.tsx";
import { Rereads } from "./rereads.ts";
import { recordChange } from "./unseen-changes.ts";

/** Shows changes by others as they happen. Returns true once none can be missed. */
export function useLive(): boolean {
  const { open } = useSession();
  const queries = useQueryClient();
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (!open) return;
    const ending = new AbortController();
    const rereads = new Rereads(queries);
    let events: Event[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    // Many may come at once: the page is drawn once for all.
    const flush = () => {
      timer = undefined;
      show(queries, rereads, events, open.isOwn);
      events = [];
    };
    follow({
      store: open.store,
      channel: open.channel,
      signal: ending.signal,
      onReady: () => setReady(true),
      onEvent(event) {
        events.push(event);
        timer ??= setTimeout(flush, gatherMs);
      },
      onMissed: () => queries.invalidateQueries(),
    }).catch(() => {
      // It was aborted before it began.
    });
    return () => {
      clearTimeout(timer);
      ending.abort();
    };
  }, [open, queries]);
  return isReady;
}

const gatherMs = 100;

/** The queries that events about a noun make stale. */
const staleAfter: Readonly<Record<string, readonly QueryKey[]>> = {
  pet: [queryKeys.inventory, queryKeys.animalNames],
  order: [queryKeys.orders],
  category: [queryKeys.categories],
  key: [queryKeys.keys, queryKeys.currentKey],
  webhook: [queryKeys.webhooks],
};

function show(
  queries: QueryClient,
  rereads: Rereads,
  events: readonly Event[],
  isOwn: (event: Event) => boolean,
): void {
  const readAgain = new Set<QueryKey>([queryKeys.events]);
  const changed = new Map<number, Pet>();
  for (const event of events) {
    for (const queryKey of staleAfter[event.type.split(".")[0] ?? ""] ?? []) readAgain.add(queryKey);
    if (!isAboutPet(event)) continue;
    const { data, type } = event;
    if (type === "pet.updated") changed.set(data.id, data);
    readAgain.add(queryKeys.animal(String(data.id)));
    if (isOwn(event)) continue;
    markAnimal(data.id, type === "pet.deleted" ? "gone" : "other");
    recordChange(event);
  }
  if (changed.size > 0) putInPlace(queries, changed);
  for (const queryKey of readAgain) rereads.read(queryKey);
}

function isAboutPet(event: Event): event is Extract<Event, { data: Pet }> {
  return event.type === "pet.created" || event.type === "pet.updated" || event.type === "pet.deleted";
}

function putInPlace(queries: QueryClient, changed: ReadonlyMap<number, Pet>): void {
  queries.setQueriesData<Page<Pet>>({ queryKey: queryKeys.animals }, (page) => {
    if (!page?.items.some(({ id }) => changed.has(id))) return page;
    return { ...page, items: page.items.map((pet) => changed.get(pet.id) ?? pet) };
  });
}

interface Following {
  readonly store: AnimalStore;
  /** The same for all tabs that see the same events. */
  readonly channel: string;
  readonly signal: AbortSignal;
  /** Called once no further event can be missed. */
  onReady(): void;
  onEvent(event: Event): void;
  onMissed(): void;
}

/**
 * Delivers each event once and in order, until it is aborted. One tab has the stream, and passes the events to the
 * others; when it is closed, another tab continues.
 */
async function follow({ store, channel: name, signal, onReady, onEvent, onMissed }: Following): Promise<void> {
  const channel = new BroadcastChannel(name);
  signal.addEventListener("abort", () => channel.close());
  let cursor = await readEnd().catch((error) => {
    if (!(error instanceof AnimalStoreError)) throw error;
    return undefined;
  });
  let isBehind = cursor === undefined;
  channel.onmessage = ({ data }: MessageEvent<Told>) => {
    cursor = data.cursor;
    if (data.event) onEvent(data.event);
    else onMissed();
  };
  onReady();
  // Browsers have locks only on https; without, each tab has its own stream.
  if (navigator.locks) await navigator.locks.request(name, { signal }, lead).catch(() => {});
  else await lead();

  async function lead(): Promise<void> {
    while (!signal.aborted) {
      try {
        await stream();
      } catch (error) {
        if (signal.aborted) return;
        isBehind = error instanceof ConflictError || error instanceof GoneError || cursor === undefined;
        if (isBehind) cursor = undefined;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  async function stream(): Promise<void> {
    cursor ??= await readEnd();
    if (isBehind) tell({ cursor, event: undefined });
    isBehind = false;
    const events = store.events.stream({ cursor }, { signal });
    for await (const event of events) tell({ cursor: events.cursor, event });
  }

  function tell(told: Told): void {
    cursor = told.cursor;
    channel.postMessage(told);
    if (told.event) onEvent(told.event);
    else onMissed();
  }

  async function readEnd(): Promise<string | undefined> {
    return (await store.events.list({ cursor: "latest" }, { signal }).page()).next;
  }
}

interface Told {
  readonly cursor: string | undefined;
  readonly event: Event | undefined;
}

const pauseMs = 2_000;
