import { keepPreviousData, useQueries } from "@tanstack/react-query";
import type { Int64 } from "../../client/index.ts";
import { names } from "../api/queries.ts";
import { longestPage } from "../api/store.ts";
import { useStore } from "../session/session.tsx";

/** The names of animals, by number, as far as they are there. */
export function useAnimalNames(ids: readonly Int64[]): ReadonlyMap<string, string> {
  const store = useStore();
  const sorted = [...new Set(ids.map(Number))].sort((one, other) => one - other);
  const lots = Array.from({ length: Math.ceil(sorted.length / longestPage) }, (_, index) =>
    sorted.slice(index * longestPage, (index + 1) * longestPage),
  );
  return useQueries({
    queries: lots.map((lot) => ({
      queryKey: [...names.animalNames, lot.join()],
      placeholderData: keepPreviousData,
      queryFn: async () => (await store.pets.list({ id: lot, limit: longestPage }).page()).items,
    })),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => data ?? []).map(({ id, name }) => [String(id), name] as const)),
  });
}
