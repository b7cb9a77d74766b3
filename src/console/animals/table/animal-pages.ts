import { useQueries } from "@tanstack/react-query";
import { useEffect, useMemo, useReducer } from "react";
import type { AnimalStore, Page, Pet } from "../../../../packages/client/src/index.ts";
import type { PetFilter } from "../../../domain/pet.ts";
import { queryKeys } from "../../api/queries.ts";
import { maxPageSize } from "../../api/store.ts";
import { useHasInteracted } from "../../parts/window-events.ts";

export type AnimalRows = ReturnType<typeof useAnimalRows>;

/** Returns animals, newest first, as rows of one long table. Keeps every page's cursor, but only the animals near the visible rows. */
export function useAnimalRows(
  store: AnimalStore,
  filter: PetFilter,
  start: string | undefined,
  visible: { readonly first: number; readonly last: number },
) {
  const [knownPages, addPage] = useReducer(addLoadedPage, [{ cursor: start }]);
  const starts = useMemo(() => computePageStarts(knownPages), [knownPages]);
  const first = Math.max(0, findPage(starts, visible.first) - pagesBehind);
  const ahead = useHasInteracted() ? pagesAhead : initialPagesAhead;
  const last = Math.min(knownPages.length - 1, findPage(starts, visible.last) + ahead);
  const pagesToLoad = knownPages.slice(first, last + 1);
  const results = useQueries({ queries: pagesToLoad.map(({ cursor }) => createPageQuery(store, filter, cursor)) });
  useEffect(() => {
    for (const [index, { data }] of results.entries()) {
      const cursor = pagesToLoad[index]?.cursor;
      if (data) addPage({ index: first + index, cursor, page: data });
    }
  });
  const count = starts.at(-1) ?? 0;
  const isComplete = knownPages.at(-1)?.next === null;
  const failedQuery = results.find(({ isError }) => isError);
  return {
    /** Number of known rows, including the rows of pages that are still loading. */
    count,
    isComplete,
    isFirstPageMissing: knownPages[0]?.length === undefined,
    error: failedQuery?.error,
    rowAt(index: number): Pet | undefined {
      const page = findPage(starts, index);
      return results[page - first]?.data?.items[index - (starts[page] ?? 0)];
    },
    cursorAt: (index: number) => knownPages[findPage(starts, index)]?.cursor,
    retry: () => failedQuery?.refetch(),
  };
}

/** Defined outside the hook, because a closure in the hook would keep earlier results in memory. */
function createPageQuery(store: AnimalStore, filter: PetFilter, cursor: string | undefined) {
  return {
    queryKey: [...queryKeys.animals, filter.status ?? "", String(filter.categoryId ?? ""), cursor ?? ""],
    queryFn: () => store.pets.list({ ...filter, sort: "-id", limit: maxPageSize, cursor }).page(),
    // Frees the memory of pages soon after the user has scrolled past them.
    gcTime: 5_000,
    structuralSharing: false,
  };
}

/** Number of pages to load ahead: as many as users can scroll through while further pages load. */
const pagesAhead = 15;
/** Number of pages to load ahead before the first interaction: few, because the console is still starting. */
const initialPagesAhead = 1;
const pagesBehind = 2;

export interface KnownPage {
  readonly cursor: string | undefined;
  readonly length?: number;
  /** The cursor of the next page; null if there is no next page, undefined if this page has not been loaded. */
  readonly next?: string | null;
}

/** Maximum number of pages in a table, because browsers limit the height of an element. */
export const maxPages = 4_000;

/** Adds a loaded page, unless the table no longer has that page's cursor. If the next cursor has changed, drops the following pages. */
export function addLoadedPage(
  pages: readonly KnownPage[],
  { index, cursor, page }: { index: number; cursor: string | undefined; page: Page<unknown> },
): readonly KnownPage[] {
  const { length } = page.items;
  const next = page.next ?? null;
  const previous = pages[index];
  if (!previous || previous.cursor !== cursor || (previous.length === length && previous.next === next)) return pages;
  const following = pages[index + 1]?.cursor === page.next ? pages.slice(index + 1) : [{ cursor: page.next }];
  const isEnd = next === null || index + 1 >= maxPages;
  return [...pages.slice(0, index), { cursor, length, next }, ...(isEnd ? [] : following)];
}

/** Returns the index of the first row of each page and, last, the number of all rows. */
export function computePageStarts(pages: readonly KnownPage[]): number[] {
  const starts = [0];
  for (const { length = maxPageSize } of pages) starts.push((starts.at(-1) ?? 0) + length);
  return starts;
}

function findPage(starts: readonly number[], row: number): number {
  const page = starts.findLastIndex((start) => start <= row);
  return Math.max(0, Math.min(page, starts.length - 2));
}
