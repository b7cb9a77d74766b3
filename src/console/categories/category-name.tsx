import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Category, type Int64, NotFoundError } from "../../../packages/client/src/index.ts";
import { queryKeys, useCategories } from "../api/queries.ts";
import { useDebounced } from "../parts/debounced.ts";
import { useStore } from "../session/session.tsx";

export function FetchedCategoryName({ id }: { id: Int64 }) {
  return <CategoryName id={id} name={useCategoryName(String(id))} />;
}

export function CategoryName({ id, name }: { id: Int64; name: string | undefined }) {
  if (name === undefined) return <span>{String(id)}</span>;
  return (
    <span>
      <bdi>{name}</bdi> <small>{String(id)}</small>
    </span>
  );
}

/** Returns the loaded categories. If the store has more, also returns the categories whose names start with the text. */
export function useCategorySearch(text: string) {
  const store = useStore();
  const { data } = useCategories();
  const prefix = text.trim();
  const name = useDebounced(prefix, typingPauseMs);
  const isEnabled = data?.isComplete === false && name !== "";
  const search = useQuery({
    queryKey: [...queryKeys.categories, "named", name],
    enabled: isEnabled,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await store.categories.list({ name, limit: 50 }, { signal }).page()).items,
  });
  const all: readonly Category[] = data?.all ?? [];
  const others = isEnabled ? (search.data ?? []).filter(({ id }) => !data.byId.has(String(id))) : [];
  return {
    categories: others.length > 0 ? [...all, ...others] : all,
    isSearching: data?.isComplete === false && prefix !== "" && (name !== prefix || (isEnabled && search.isFetching)),
  };
}

/** Returns the name of the category with a number, given as text. Requests the name if the category is not loaded. */
export function useCategoryName(number: string): string | undefined {
  const store = useStore();
  const { data } = useCategories();
  const name = data?.byId.get(number);
  const { data: fetchedName } = useQuery({
    queryKey: [...queryKeys.categories, "named by", number],
    enabled: data?.isComplete === false && name === undefined && /^-?\d+$/.test(number),
    queryFn: async ({ signal }) => {
      try {
        return (await store.categories.get(BigInt(number), { signal })).name;
      } catch (error) {
        if (error instanceof NotFoundError) return null;
        throw error;
      }
    },
  });
  return name ?? fetchedName ?? undefined;
}

/** Delay of the search after a key press: longer than a fast typist's pauses, but too short to be noticed. */
const typingPauseMs = 80;
