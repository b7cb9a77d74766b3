import { useQueries } from "@tanstack/react-query";
import { useEffect, useMemo, useReducer, useState } from "react";
import type { AnimalStore, Page, Pet } from "../../../../packages/client/src/index.ts";
import type { PetFilter } from "../../../domain/pet.ts";
import { queryKeys } from "../../api/queries.ts";
import { maxPageSize } from "../../api/store.ts";
import { useHasInteracted } from "../../parts/window-events.ts";

export type AnimalRows = ReturnType<typeof useRowsInOrder>;

/** The start of a table: a cursor, the first animal, or the last. */
export type TableStart = { readonly cursor: string | undefined; readonly takesFocus?: boolean } | "end";

/**
 * Returns the animals as rows of one long table, the newest first. A table that starts at the end is loaded backwards: `total` is used to
 * calculate how many placeholder rows come before the loaded rows.
 */
export function useAnimalRows(
  store: AnimalStore,
  filter: PetFilter,
  start: TableStart,
  total: number | undefined,
  visible: RowRange,
): AnimalRows {
  const isBackwards = start === "end";
  const expected = isBackwards ? Math.min(total ?? 0, maxPages * maxPageSize) : 0;
  const [length, setLength] = useState(expected);
  const reverse = (row: number) => length - 1 - row;
  const rows = useRowsInOrder(
    store,
    useMemo(() => ({ ...filter, sort: isBackwards ? "id" : "-id" }) as const, [filter, isBackwards]),
    isBackwards ? undefined : start.cursor,
    isBackwards ? { first: Math.max(0, reverse(visible.last)), last: Math.max(0, reverse(visible.first)) } : visible,
  );
  const isExact = rows.isComplete && !rows.isUnknown;
  const needed = isExact ? rows.count : Math.max(expected, rows.count);
  if (isBackwards && needed !== length) setLength(needed);
  if (!isBackwards) return rows;
  return { ...rows, count: length, rowAt: (index) => rows.rowAt(reverse(index)), cursorAt: () => undefined };
}

interface RowRange {
  readonly first: number;
  readonly last: number;
}

type SortedFilter = PetFilter & { readonly sort: "id" | "-id" };

/**
 * Loads and keeps only the pages around the visible rows. Keeps only the cursors of all other pages, to load them again. Another filter
 * or start requires a new component.
 */
function useRowsInOrder(store: AnimalStore, filter: SortedFilter, start: string | undefined, visible: RowRange) {
  const [known, onPage] = useReducer(advance, [{ cursor: start }]);
  const starts = useMemo(() => startsOf(known), [known]);
  const first = Math.max(0, findPage(starts, visible.first) - pagesBehind);
  const ahead = useHasInteracted() ? pagesAhead : initialPagesAhead;
  const last = Math.min(known.length - 1, findPage(starts, visible.last) + ahead);
  const pagesToLoad = known.slice(first, last + 1);
  const results = useQueries({ queries: pagesToLoad.map(({ cursor }) => pageQuery(store, filter, cursor)) });
  useEffect(() => {
    for (const [index, { data }] of results.entries()) {
      const cursor = pagesToLoad[index]?.cursor;
      if (data) onPage({ index: first + index, cursor, page: data });
    }
  });
  const count = starts.at(-1) ?? 0;
  const isComplete = known.at(-1)?.next === null;
  const failedQuery = results.find(({ isError }) => isError);
  return {
    /** Number of known rows, including the rows of pages that are still loading. */
    count,
    isComplete,
    isUnknown: known[0]?.length === undefined,
    error: failedQuery?.error,
    rowAt(index: number): Pet | undefined {
      const page = findPage(starts, index);
      return results[page - first]?.data?.items[index - (starts[page] ?? 0)];
    },
    cursorAt: (index: number) => known[findPage(starts, index)]?.cursor,
    /** The cursor of the rows that exceed the maximum of one table. */
    continuation: known.at(-1)?.next ?? undefined,
    retry: () => failedQuery?.refetch(),
  };
}

/** Returns the query of a page. This function is outside of the hook, because a closure in the hook would retain earlier results. */
function pageQuery(store: AnimalStore, filter: SortedFilter, cursor: string | undefined) {
  return {
    queryKey: [...queryKeys.animals, filter.sort, filter.status ?? "", String(filter.categoryId ?? ""), cursor ?? ""],
    queryFn: () => store.pets.list({ ...filter, limit: maxPageSize, cursor }).page(),
    // Releases pages that the user has scrolled past.
    gcTime: 5_000,
    structuralSharing: false,
  };
}

/** Pages that are loaded ahead: as many as users can scroll through while others load. */
const pagesAhead = 15;
/** Pages ahead before the first interaction: the start of the HTML page has more urgent work. */
const initialPagesAhead = 1;
const pagesBehind = 2;

/** A page of the list, without its animals. */
export interface KnownPage {
  readonly cursor: string | undefined;
  readonly length?: number;
  /** The cursor of the next page; null if there is none. */
  readonly next?: string | null;
}

/** Maximum number of pages in a table, because browsers limit the height of an element. */
export const maxPages = 4_000;

interface LoadedPage {
  readonly index: number;
  /** The cursor that was requested. The response is ignored if the table no longer has a page with this cursor. */
  readonly cursor: string | undefined;
  readonly page: Page<unknown>;
}

/** Updates the pages when one of them has been loaded. If the end of that page has moved, drops the following pages. */
export function advance(pages: readonly KnownPage[], { index, cursor, page }: LoadedPage): readonly KnownPage[] {
  const { length } = page.items;
  const next = page.next ?? null;
  const previous = pages[index];
  if (!previous || previous.cursor !== cursor || (previous.length === length && previous.next === next)) return pages;
  const following = pages[index + 1]?.cursor === page.next ? pages.slice(index + 1) : [{ cursor: page.next }];
  const isEnd = next === null || index + 1 >= maxPages;
  return [...pages.slice(0, index), { cursor, length, next }, ...(isEnd ? [] : following)];
}

/** Returns the index of the first row of each page, and the number of all rows. */
export function startsOf(pages: readonly KnownPage[]): number[] {
  const starts = [0];
  for (const { length = maxPageSize } of pages) starts.push((starts.at(-1) ?? 0) + length);
  return starts;
}

/** Returns the index of the page that contains a row, by binary search. */
function findPage(starts: readonly number[], row: number): number {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
