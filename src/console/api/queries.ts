import { type QueryClient, useQuery } from "@tanstack/react-query";
import type { Api, Category, Page } from "./api.ts";

/** Everything that is read from the store has a name here, by which it is read again after a change. */
export const names = {
  animals: ["animals"],
  animal: (id: string) => ["animal", id],
  inventory: ["inventory"],
  orders: ["orders"],
  categories: ["categories"],
  keys: ["keys"],
  currentKey: ["current key"],
} as const;

export function useInventory(api: Api) {
  return useQuery({ queryKey: names.inventory, queryFn: () => api.inventory(), refetchInterval: 3_000 });
}

export function useCurrentKey(api: Api) {
  return useQuery({ queryKey: names.currentKey, queryFn: () => api.currentKey(), staleTime: 60_000 });
}

/** The names of all categories, by number. */
export function useCategoryNames(api: Api): ReadonlyMap<string, string> {
  const { data } = useQuery(categoriesOf(api));
  return data?.byId ?? noNames;
}

export function useCategories(api: Api) {
  return useQuery(categoriesOf(api));
}

/** After a change of an animal, whatever shows animals is read again. */
export async function animalsChanged(queries: QueryClient): Promise<void> {
  const all = [names.animals, ["animal"], names.inventory, names.orders];
  await Promise.all(all.map((queryKey) => queries.invalidateQueries({ queryKey })));
}

/** All items of a list that is not long. */
export async function allOf<Item>(read: (cursor?: string) => Promise<Page<Item>>): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await read(cursor);
    all.push(...items);
    cursor = next;
  } while (cursor !== undefined && all.length < most);
  return all;
}

const most = 2_000;
const noNames: ReadonlyMap<string, string> = new Map();

function categoriesOf(api: Api) {
  return {
    queryKey: names.categories,
    staleTime: 30_000,
    queryFn: async () => {
      const all: Category[] = await allOf((cursor) => api.listCategories(cursor));
      return { all, byId: new Map(all.map(({ id, name }) => [String(id), name])) };
    },
  };
}
