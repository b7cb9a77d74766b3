import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Category, NotFoundError } from "../../../packages/client/src/index.ts";
import { names, useCategories } from "../api/queries.ts";
import { useSettled } from "../parts/settled.ts";
import { useStore } from "../session/session.tsx";

/** Returns the categories that a text may mean: those of the page and, if the store has more, those whose names start with it. */
export function useKnownCategories(text: string): {
  readonly categories: readonly Category[];
  /** True if more may follow. */
  readonly isSearching: boolean;
} {
  const store = useStore();
  const { data } = useCategories();
  const wanted = text.trim();
  const name = useSettled(wanted, settleMs);
  const isAsked = data?.isWhole === false && name !== "" && [...name].length <= maxLength;
  const found = useQuery({
    queryKey: [...names.categories, "named", name],
    enabled: isAsked,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => (await store.categories.list({ name, limit: 50 }, { signal }).page()).items,
  });
  const all = data?.all ?? [];
  const others = isAsked ? (found.data ?? []).filter(({ id }) => !data.byId.has(String(id))) : [];
  return {
    categories: others.length > 0 ? [...all, ...others] : all,
    isSearching: data?.isWhole === false && wanted !== "" && (name !== wanted || (isAsked && found.isFetching)),
  };
}

/** Returns the name of a category by its number in digits, even if the page does not have it. */
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

/** Longer than the pause between the keys of a fast typist, and too short to notice. */
const settleMs = 80;
/** Maximum length of a name, in characters. */
const maxLength = 255;
