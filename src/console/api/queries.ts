import { keepPreviousData, type QueryClient, useQueries, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLayoutEffect, useRef } from "react";
import type { Category, Int64 } from "../../../packages/client/src/index.ts";
import { includesScope, type Scope } from "../../domain/scope.ts";
import { clearUnseenChanges } from "../live/unseen-changes.ts";
import { isUnreachable } from "../parts/errors.ts";
import { useNotify } from "../parts/toast.tsx";
import { useStore } from "../session/session.tsx";
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
  /** Begins with `keys`, so that invalidating the list of keys also refetches the user's own key. */
  currentKey: ["keys", "current"],
} as const;

export function useTools() {
  return { store: useStore(), notify: useNotify(), queries: useQueryClient(), isMounted: useIsMounted() };
}

/** Lets a callback detect that its dialog has been closed: a late response must not close another dialog. */
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

export function useInventory(refetchInterval: number | false = false) {
  const store = useStore();
  return useQuery({ queryKey: queryKeys.inventory, queryFn: () => store.inventory.get(), refetchInterval });
}

export function useIsStoreUnreachable(): boolean {
  return isUnreachable(useInventory().error);
}

export function useCurrentKey() {
  const store = useStore();
  return useQuery({ queryKey: queryKeys.currentKey, queryFn: () => store.keys.current(), staleTime: 60_000 });
}

/** True if the key has the scope, and while the key is loading: the store itself enforces scopes. */
export function useHasScope(scope: Scope): boolean {
  const { data: key } = useCurrentKey();
  return key === undefined || includesScope(key.scope, scope);
}

/** Reads at most `maxCategories` named categories. If the store has more, `isComplete` is false. */
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
  const keys = [queryKeys.animals, ["animal"], queryKeys.inventory, queryKeys.orders];
  await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

const maxCategories = 2_000;
const noCategoryNames: ReadonlyMap<string, string> = new Map();

export function useAnimalNames(ids: readonly Int64[]): ReadonlyMap<string, string> {
  const store = useStore();
  const sortedIds = [...new Set(ids.map(Number))].sort((one, other) => one - other);
  const chunks = Array.from({ length: Math.ceil(sortedIds.length / maxPageSize) }, (_, index) =>
    sortedIds.slice(index * maxPageSize, (index + 1) * maxPageSize),
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
