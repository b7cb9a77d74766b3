import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Event, Page, Pet } from "../../client/index.ts";
import { markAnimal } from "../animals/marks.ts";
import { names } from "../api/queries.ts";
import { useSession } from "../session/session.tsx";
import { follow } from "./follow.ts";
import { Rereads } from "./rereads.ts";
import { noteChange } from "./waiting.ts";

/** Shows what others do as it happens. Returns whether nothing that happens from now on can be missed. */
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
    // Many may come at once; the page is drawn for all of them together.
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

function show(
  queries: QueryClient,
  rereads: Rereads,
  events: readonly Event[],
  isOwn: (event: Event) => boolean,
): void {
  const readAgain = new Set<readonly unknown[]>([names.events]);
  const changed = new Map<number, Pet>();
  for (const event of events) {
    switch (event.type) {
      case "pet.created":
      case "pet.updated":
      case "pet.deleted": {
        const { data, type } = event;
        if (type === "pet.updated") changed.set(data.id, data);
        readAgain.add(names.inventory);
        readAgain.add(names.animal(String(data.id)));
        readAgain.add(names.animalNames);
        if (isOwn(event)) break;
        markAnimal(data.id, type === "pet.deleted" ? "gone" : "other");
        noteChange(event);
        break;
      }
      case "order.placed":
      case "order.completed":
      case "order.cancelled":
        readAgain.add(names.orders);
        break;
      case "category.named":
      case "category.unnamed":
        readAgain.add(names.categories);
        break;
      case "key.created":
      case "key.rotated":
      case "key.revoked":
        readAgain.add(names.keys);
        readAgain.add(names.currentKey);
        break;
      case "webhook.disabled":
        readAgain.add(names.webhooks);
        break;
    }
  }
  if (changed.size > 0) putInPlace(queries, changed);
  for (const queryKey of readAgain) rereads.read(queryKey);
}

/** Rows stay where they are, with what they have become. */
function putInPlace(queries: QueryClient, changed: ReadonlyMap<number, Pet>): void {
  queries.setQueriesData<Page<Pet>>({ queryKey: names.animals }, (page) => {
    if (!page?.items.some(({ id }) => changed.has(id))) return page;
    return { ...page, items: page.items.map((pet) => changed.get(pet.id) ?? pet) };
  });
}
