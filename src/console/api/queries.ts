import {
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  useQueries,
  useQuery,
  useQueryClient,
} from "@tanstack/react-query";
import { useLayoutEffect, useRef } from "react";
import type { Category, Int64 } from "../../../packages/client/src/index.ts";
import { includesScope, type Scope } from "../../domain/scope.ts";
import { clearUnseenChanges } from "../live/unseen-changes.ts";
import { useNotify } from "../parts/toast.tsx";
import type { Advisor } from "../parts/view.tsx";
import { useStore } from "../session/session.tsx";
import { adviceFor, isUnanswered, isUnreachable } from "./errors.ts";
import { maxPageSize } from "./store.ts";

export const queryKeys = {
  animals: ["animals"],
  animal: (id: string) => ["animal", id],
  animalNames: ["animal", "names"],
  inventory: ["inventory"],
  orders: ["orders"],
  categories: ["categories"],
  keys: ["keys"],
  webhooks: ["webhooks"],
  events: ["events"],
  currentKey: ["current key"],
} as const;

/** Returns the means of an action: to run it, to report it, and to reread what it changed. */
export function useTools() {
  return { store: useStore(), notify: useNotify(), queries: useQueryClient(), isMounted: useIsMounted() };
}

/** Returns a function that returns true while the component is mounted: a late response must not close what is open instead. */
function useIsMounted(): () => boolean {
  const isMounted = useRef(false);
  useLayoutEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  return () => isMounted.current;
}

/** Only one place of the page passes an interval. */
export function useInventory(refetchInterval: number | false = false) {
  const store = useStore();
  return useQuery({ queryKey: queryKeys.inventory, queryFn: () => store.inventory.get(), refetchInterval });
}

/** Returns true while the store cannot be reached, which the page says at its top. */
export function useIsStoreLost(): boolean {
  return isUnreachable(useInventory().error);
}

/** Returns how to explain errors: that the store cannot be reached is said only for as long as it is so. */
export function useAdvisor(): Advisor {
  const isLost = useIsStoreLost();
  return {
    adviceFor: (error) =>
      isUnanswered(error) && !isLost
        ? "The store did not respond. Nothing you typed is lost; try again."
        : adviceFor(error),
    isShownInBanner: (error) => isLost && isUnreachable(error),
  };
}

export function useAdvice(error: unknown): string {
  return useAdvisor().adviceFor(error);
}

export function useCurrentKey() {
  const store = useStore();
  return useQuery({ queryKey: queryKeys.currentKey, queryFn: () => store.keys.current(), staleTime: 60_000 });
}

/** Returns true if the user's key has a scope, and until that is known: the store itself refuses what the key may not do. */
export function useHasScope(scope: Scope): boolean {
  const { data: key } = useCurrentKey();
  return key === undefined || includesScope(key.scope, scope);
}

/** Returns the named categories, or the first of very many. */
export function useCategories() {
  const store = useStore();
  return useQuery({
    queryKey: queryKeys.categories,
    staleTime: 30_000,
    queryFn: async () => {
      const all: Category[] = [];
      let isWhole = true;
      for await (const category of store.categories.list({ limit: maxPageSize })) {
        isWhole = all.length < maxCategories;
        if (!isWhole) break;
        all.push(category);
      }
      return { all, isWhole, byId: new Map(all.map(({ id, name }) => [String(id), name])) };
    },
  });
}

export function useCategoryNames(): ReadonlyMap<string, string> {
  const { data } = useCategories();
  return data?.byId ?? noNames;
}

export async function invalidateAnimals(queries: QueryClient): Promise<void> {
  clearUnseenChanges();
  await readAgain(queries, queryKeys.animals, ["animal"], queryKeys.inventory, queryKeys.orders);
}

/** Reads again what a change of a key affects: it may be the user's own. */
export async function invalidateKeys(queries: QueryClient): Promise<void> {
  await readAgain(queries, queryKeys.keys, queryKeys.currentKey);
}

async function readAgain(queries: QueryClient, ...keys: readonly QueryKey[]): Promise<void> {
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

const maxCategories = 2_000;
const noNames: ReadonlyMap<string, string> = new Map();

/** Returns the names of animals by number, as far as they are loaded. */
export function useAnimalNames(ids: readonly Int64[]): ReadonlyMap<string, string> {
  const store = useStore();
  const sorted = [...new Set(ids.map(Number))].sort((one, other) => one - other);
  const chunks = Array.from({ length: Math.ceil(sorted.length / maxPageSize) }, (_, index) =>
    sorted.slice(index * maxPageSize, (index + 1) * maxPageSize),
  );
  return useQueries({
    queries: chunks.map((chunk) => ({
      queryKey: [...queryKeys.animalNames, chunk.join()],
      placeholderData: keepPreviousData,
      queryFn: async () => (await store.pets.list({ id: chunk, limit: maxPageSize }).page()).items,
    })),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => data ?? []).map(({ id, name }) => [String(id), name] as const)),
  });
}
