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

/** Returns the tools of most actions: the store, a function that shows a notice, the queries, and whether the component is mounted. */
export function useTools() {
  return { store: useStore(), notify: useNotify(), queries: useQueryClient(), isMounted: useIsMounted() };
}

/** Returns a function that returns true while the component is mounted: a late response must not close another dialog. */
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

/** Reads the inventory. Only one component passes an interval, so that the inventory is polled once. */
export function useInventory(refetchInterval: number | false = false) {
  const store = useStore();
  return useQuery({ queryKey: queryKeys.inventory, queryFn: () => store.inventory.get(), refetchInterval });
}

/** Returns true while the store cannot be reached, which a notice at the top of the page reports. */
export function useIsStoreLost(): boolean {
  return isUnreachable(useInventory().error);
}

/** Explains errors. The message that the store cannot be reached disappears when the store is reachable again. */
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

/** Returns true if the user's key has the scope, or while that key is being loaded: the store itself enforces scopes. */
export function useHasScope(scope: Scope): boolean {
  const { data: key } = useCurrentKey();
  return key === undefined || includesScope(key.scope, scope);
}

/** Reads the named categories, up to a limit. `isComplete` is false if there are more. */
export function useCategories() {
  const store = useStore();
  return useQuery({
    queryKey: queryKeys.categories,
    staleTime: 30_000,
    queryFn: async () => {
      const all: Category[] = [];
      let isComplete = true;
      for await (const category of store.categories.list({ limit: maxPageSize })) {
        isComplete = all.length < maxCategories;
        if (!isComplete) break;
        all.push(category);
      }
      return { all, isComplete, byId: new Map(all.map(({ id, name }) => [String(id), name])) };
    },
  });
}

export function useCategoryNames(): ReadonlyMap<string, string> {
  const { data } = useCategories();
  return data?.byId ?? noCategoryNames;
}

export async function invalidateAnimals(queries: QueryClient): Promise<void> {
  clearUnseenChanges();
  await refetch(queries, queryKeys.animals, ["animal"], queryKeys.inventory, queryKeys.orders);
}

/** Refetches the queries that a change of a key affects; the key may be the user's own. */
export async function invalidateKeys(queries: QueryClient): Promise<void> {
  await refetch(queries, queryKeys.keys, queryKeys.currentKey);
}

async function refetch(queries: QueryClient, ...keys: readonly QueryKey[]): Promise<void> {
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

const maxCategories = 2_000;
const noCategoryNames: ReadonlyMap<string, string> = new Map();

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
