import { type QueryClient, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Event, Page, Pet } from "../../../packages/client/src/index.ts";
import { markAnimal } from "../animals/marks.ts";
import { names } from "../api/queries.ts";
import { useSession } from "../session/session.tsx";
import { follow } from "./follow.ts";
import { Rereads } from "./rereads.ts";
import { noteChange } from "./waiting.ts";

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
  pet: [names.inventory, names.animalNames],
  order: [names.orders],
  category: [names.categories],
  key: [names.keys, names.currentKey],
  webhook: [names.webhooks],
};

function show(
  queries: QueryClient,
  rereads: Rereads,
  events: readonly Event[],
  isOwn: (event: Event) => boolean,
): void {
  const readAgain = new Set<QueryKey>([names.events]);
  const changed = new Map<number, Pet>();
  for (const event of events) {
    for (const queryKey of staleAfter[event.type.split(".")[0] ?? ""] ?? []) readAgain.add(queryKey);
    if (!isAboutPet(event)) continue;
    const { data, type } = event;
    if (type === "pet.updated") changed.set(data.id, data);
    readAgain.add(names.animal(String(data.id)));
    if (isOwn(event)) continue;
    markAnimal(data.id, type === "pet.deleted" ? "gone" : "other");
    noteChange(event);
  }
  if (changed.size > 0) putInPlace(queries, changed);
  for (const queryKey of readAgain) rereads.read(queryKey);
}

function isAboutPet(event: Event): event is Extract<Event, { data: Pet }> {
  return event.type === "pet.created" || event.type === "pet.updated" || event.type === "pet.deleted";
}

/** Updates rows in their places. */
function putInPlace(queries: QueryClient, changed: ReadonlyMap<number, Pet>): void {
  queries.setQueriesData<Page<Pet>>({ queryKey: names.animals }, (page) => {
    if (!page?.items.some(({ id }) => changed.has(id))) return page;
    return { ...page, items: page.items.map((pet) => changed.get(pet.id) ?? pet) };
  });
}
