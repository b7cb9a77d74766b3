import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Category, type Int64, NotFoundError } from "../../../packages/client/src/index.ts";
import { queryKeys, useCategories } from "../api/queries.ts";
import { useDebounced } from "../parts/deferred.tsx";
import { useStore } from "../session/session.tsx";

/** The name and number of a category. A name that the page does not have is requested if `isAsked`. */
export function CategoryName({ id, name, isAsked }: { id: Int64; name: string | undefined; isAsked: boolean }) {
  return name === undefined && isAsked ? <AskedName id={id} /> : <Named id={id} name={name} />;
}

export function KnownCategoryName({ id }: { id: Int64 }) {
  const { data } = useCategories();
  return <CategoryName id={id} name={data?.byId.get(String(id))} isAsked={data?.isWhole === false} />;
}

function AskedName({ id }: { id: Int64 }) {
  return <Named id={id} name={useCategoryName(String(id))} />;
}

function Named({ id, name }: { id: Int64; name: string | undefined }) {
  if (name === undefined) return <span>{String(id)}</span>;
  return (
    <span>
      <bdi>{name}</bdi> <small>{String(id)}</small>
    </span>
  );
}

/** Returns the categories that a text may mean: those of the page and, if the store has more, those whose names start with it. */
export function useCategorySearch(text: string): {
  readonly categories: readonly Category[];
  readonly isSearching: boolean;
} {
  const store = useStore();
  const { data } = useCategories();
  const wanted = text.trim();
  const name = useDebounced(wanted, settleMs);
  const isAsked = data?.isWhole === false && name !== "" && [...name].length <= maxLength;
  const found = useQuery({
    queryKey: [...queryKeys.categories, "named", name],
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
export function useCategoryName(number: string): string | undefined {
  const store = useStore();
  const { data } = useCategories();
  const name = data?.byId.get(number);
  const { data: found } = useQuery({
    queryKey: [...queryKeys.categories, "named by", number],
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
const maxLength = 255;
