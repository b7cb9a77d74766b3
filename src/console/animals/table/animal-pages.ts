import { useQueries } from "@tanstack/react-query";
import { useEffect, useMemo, useReducer, useState } from "react";
import type { AnimalStore, Page, Pet } from "../../../../packages/client/src/index.ts";
import type { PetFilter } from "../../../domain/pet.ts";
import { queryKeys } from "../../api/queries.ts";
import { maxPageSize } from "../../api/store.ts";
import { useHasInteracted } from "../../parts/window-events.ts";

export type AnimalRows = ReturnType<typeof useRowsInOrder>;

/** The start of a table: a cursor, the first animal or the last. */
export type Start = { readonly cursor: string | undefined; readonly takesFocus?: boolean } | "end";

/**
 * Returns the animals as rows of one long table, the newest first. From the end, the table is read backwards: unread rows come before
 * the others, as many as the total says.
 */
export function useAnimalRows(
  store: AnimalStore,
  filter: PetFilter,
  start: Start,
  total: number | undefined,
  seen: Span,
): AnimalRows {
  const isBackwards = start === "end";
  const expected = isBackwards ? Math.min(total ?? 0, maxPages * maxPageSize) : 0;
  const [length, setLength] = useState(expected);
  const turned = (row: number) => length - 1 - row;
  const rows = useRowsInOrder(
    store,
    useMemo(() => ({ ...filter, sort: isBackwards ? "id" : "-id" }) as const, [filter, isBackwards]),
    isBackwards ? undefined : start.cursor,
    isBackwards ? { first: Math.max(0, turned(seen.last)), last: Math.max(0, turned(seen.first)) } : seen,
  );
  const isExact = rows.isComplete && !rows.isUnknown;
  const needed = isExact ? rows.count : Math.max(expected, rows.count);
  if (isBackwards && needed !== length) setLength(needed);
  if (!isBackwards) return rows;
  return { ...rows, count: length, rowAt: (index) => rows.rowAt(turned(index)), cursorAt: () => undefined };
}

interface Span {
  readonly first: number;
  readonly last: number;
}

type SortedFilter = PetFilter & { readonly sort: "id" | "-id" };

/**
 * Reads and keeps only the pages around the visible rows; of other pages it keeps the cursor, to read them again. Another filter or
 * start needs a new component.
 */
function useRowsInOrder(store: AnimalStore, filter: SortedFilter, start: string | undefined, seen: Span) {
  const [known, note] = useReducer(learn, [{ cursor: start }]);
  const starts = useMemo(() => startsOf(known), [known]);
  const first = Math.max(0, pageOf(starts, seen.first) - pagesBehind);
  const ahead = useHasInteracted() ? pagesAhead : pagesAtFirst;
  const last = Math.min(known.length - 1, pageOf(starts, seen.last) + ahead);
  const wanted = known.slice(first, last + 1);
  const results = useQueries({ queries: wanted.map(({ cursor }) => pageQuery(store, filter, cursor)) });
  useEffect(() => {
    for (const [index, { data }] of results.entries()) {
      const cursor = wanted[index]?.cursor;
      if (data) note({ index: first + index, cursor, page: data });
    }
  });
  const count = starts.at(-1) ?? 0;
  const isComplete = known.at(-1)?.next === null;
  const failed = results.find(({ isError }) => isError);
  return {
    /** Number of known rows, including those of pages that are still being read. */
    count,
    isComplete,
    isUnknown: known[0]?.length === undefined,
    error: failed?.error,
    rowAt(index: number): Pet | undefined {
      const page = pageOf(starts, index);
      return results[page - first]?.data?.items[index - (starts[page] ?? 0)];
    },
    cursorAt: (index: number) => known[pageOf(starts, index)]?.cursor,
    /** The cursor of the rows that are too many for one table. */
    continuation: known.at(-1)?.next ?? undefined,
    retry: () => failed?.refetch(),
  };
}

/** Outside of the hook, because a closure of it would hold the results of the queries before. */
function pageQuery(store: AnimalStore, filter: SortedFilter, cursor: string | undefined) {
  return {
    queryKey: [...queryKeys.animals, filter.sort, filter.status ?? "", String(filter.categoryId ?? ""), cursor ?? ""],
    queryFn: () => store.pets.list({ ...filter, limit: maxPageSize, cursor }).page(),
    // Releases pages that were scrolled past.
    gcTime: 5_000,
    structuralSharing: false,
  };
}

/** The distance that users scroll while some pages are read. */
const pagesAhead = 15;
/** Before the first input: the start of the page has more urgent work. */
const pagesAtFirst = 1;
const pagesBehind = 2;

interface News {
  readonly index: number;
  readonly cursor: string | undefined;
  readonly page: Page<Pet>;
}

/** Ignores a page that is no longer in the list. */
function learn(pages: readonly KnownPage[], { index, cursor, page }: News): readonly KnownPage[] {
  return pages[index]?.cursor === cursor ? advance(pages, index, page) : pages;
}

/** A page without its animals. */
export interface KnownPage {
  readonly cursor: string | undefined;
  readonly length?: number;
  /** The cursor of the next page; null if there is none. */
  readonly next?: string | null;
}

/** Maximum pages of a table: browsers limit the height of an element. */
export const maxPages = 4_000;

/** Returns the pages after one of them was read. If it now ends elsewhere, the pages behind it are forgotten. */
export function advance(
  pages: readonly KnownPage[],
  index: number,
  { items, next }: Page<unknown>,
): readonly KnownPage[] {
  const before = pages[index];
  if (!before) return pages;
  if (before.length === items.length && before.next === (next ?? null)) return pages;
  const page = { cursor: before.cursor, length: items.length, next: next ?? null };
  const behind = pages[index + 1]?.cursor === next ? pages.slice(index + 1) : [{ cursor: next }];
  const isEnd = next === undefined || index + 1 >= maxPages;
  return [...pages.slice(0, index), page, ...(isEnd ? [] : behind)];
}

export function startsOf(pages: readonly KnownPage[]): number[] {
  const starts = [0];
  for (const { length = maxPageSize } of pages) starts.push((starts.at(-1) ?? 0) + length);
  return starts;
}

function pageOf(starts: readonly number[], row: number): number {
  let low = 0;
  let high = starts.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= row) low = middle;
    else high = middle - 1;
  }
  return low;
}
