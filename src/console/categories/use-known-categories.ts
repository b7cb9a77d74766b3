import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Category, NotFoundError } from "../../client/index.ts";
import { names, useCategories } from "../api/queries.ts";
import { useSettled } from "../parts/settled.ts";
import { useStore } from "../session/session.tsx";

/**
 * The categories that a text may be about: those that the page has and, where the store has more than that, those whose names
 * begin with it.
 */
export function useKnownCategories(text: string): {
  readonly categories: readonly Category[];
  /** Whether more may come. */
  readonly isSearching: boolean;
} {
  const store = useStore();
  const { data } = useCategories();
  const wanted = text.trim();
  const name = useSettled(wanted, settleMs);
  const isAsked = data?.isWhole === false && name !== "" && [...name].length <= longestName;
  const found = useQuery({
    queryKey: [...names.categories, "named", name],
    enabled: isAsked,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await store.categories.list({ name, limit: mostFound }, { signal }).page()).items,
  });
  const all = data?.all ?? [];
  const others = isAsked ? (found.data ?? []).filter(({ id }) => !data.byId.has(String(id))) : [];
  return {
    categories: others.length > 0 ? [...all, ...others] : all,
    isSearching: data?.isWhole === false && wanted !== "" && (name !== wanted || (isAsked && found.isFetching)),
  };
}

/** The name of a category by its number in digits, also where the store has more of them than the page. */
export function useNameOf(number: string): string | undefined {
  const store = useStore();
  const { data } = useCategories();
  const name = data?.byId.get(number);
  const { data: found } = useQuery({
    queryKey: [...names.categories, "named by", number],
    enabled: data?.isWhole === false && name === undefined && /^-?\d+$/.test(number),
    queryFn: async ({ signal }) => {
      try {
        return (await store.categories.get(BigInt(number), { signal })).name;
      } catch (error) {
        if (error instanceof NotFoundError) return null;
        throw error;
      }
    },
  });
  return name ?? found ?? undefined;
}

/** Short enough for nobody to notice, and long enough for fast typists. */
const settleMs = 80;

/** As many characters as the store searches for. */
const longestName = 255;
const mostFound = 50;
