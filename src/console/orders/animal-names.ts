import { keepPreviousData, useQueries } from "@tanstack/react-query";
import type { Int64 } from "../../../packages/client/src/index.ts";
import { names } from "../api/queries.ts";
import { longestPage } from "../api/store.ts";
import { useStore } from "../session/session.tsx";

/** Returns the names of animals by number, as far as they are loaded. */
export function useAnimalNames(ids: readonly Int64[]): ReadonlyMap<string, string> {
  const store = useStore();
  const sorted = [...new Set(ids.map(Number))].sort((one, other) => one - other);
  const chunks = Array.from({ length: Math.ceil(sorted.length / longestPage) }, (_, index) =>
    sorted.slice(index * longestPage, (index + 1) * longestPage),
  );
  return useQueries({
    queries: chunks.map((chunk) => ({
      queryKey: [...names.animalNames, chunk.join()],
      placeholderData: keepPreviousData,
      queryFn: async () => (await store.pets.list({ id: chunk, limit: longestPage }).page()).items,
    })),
    combine: (results) =>
      new Map(results.flatMap(({ data }) => data ?? []).map(({ id, name }) => [String(id), name] as const)),
  });
}
