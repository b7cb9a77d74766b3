import { type UseQueryResult, useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from "react";
import type { AnimalStore, Page, Pet } from "../../../client/index.ts";
import type { PetFilter } from "../../../domain/pet.ts";
import { names } from "../../api/queries.ts";
import { longestPage } from "../../api/store.ts";
import { useIsUsed } from "../../parts/used.ts";
import { advance, type KnownPage, mostPages, startsOf } from "./known-pages.ts";

export interface AnimalRows {
  /** How many rows there are as far as is known; those of a page that is still being read are counted as well. */
  readonly count: number;
  /** Whether the last row is the last animal. */
  readonly isComplete: boolean;
  /** Whether nothing was read yet. */
  readonly isUnknown: boolean;
  readonly error: unknown;
  /** Undefined while it is being read. */
  rowAt(index: number): Pet | undefined;
  /** Where the page of a row starts, for a link to it. */
  cursorAt(index: number): string | undefined;
  /** Where to go on, if the list is too long for one table. */
  readonly continuation: string | undefined;
  retry(): void;
}

/** Where a table begins to be read: at a cursor, at the first animal or at the last; and whether its first row gets the focus. */
export type Start = { readonly cursor: string | undefined; readonly takesFocus?: boolean } | "end";

/**
 * The animals as rows of one long table, the newest first. From the end it is read backwards: then rows that were not read
 * yet are before the others, as many as the total says.
 */
export function useAnimalRows(
  store: AnimalStore,
  filter: PetFilter,
  start: Start,
  total: number | undefined,
  seen: Span,
): AnimalRows {
  const isBackwards = start === "end";
  const expected = isBackwards ? Math.min(total ?? 0, mostPages * longestPage) : 0;
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
 * Only the pages around those that are seen are kept and read, some ahead of where
 * people scroll to; of all others only the cursor is known, by which they are read again. For another filter or another
 * start, it begins anew only in another component.
 */
function useRowsInOrder(store: AnimalStore, filter: SortedFilter, start: string | undefined, seen: Span): AnimalRows {
  const queries = useQueryClient();
  const [known, note] = useReducer(learn, [{ cursor: start }]);
  const starts = useMemo(() => startsOf(known), [known]);
  const first = Math.max(0, pageOf(starts, seen.first) - pagesBehind);
  const ahead = useIsUsed() ? pagesAhead : pagesAtFirst;
  const last = Math.min(known.length - 1, pageOf(starts, seen.last) + ahead);
  const wanted = known.slice(first, last + 1);
  const results = useQueries({ queries: wanted.map(({ cursor }) => pageQuery(store, filter, cursor)) });
  const readPage = useCallback(
    (cursor: string | undefined) => queries.fetchQuery(pageQuery(store, filter, cursor)),
    [queries, store, filter],
  );
  useReadAhead(known, pageOf(starts, seen.last) + ahead, readPage, note);
  useEffect(() => {
    for (const [index, { data }] of results.entries()) {
      const cursor = wanted[index]?.cursor;
      if (data) note({ index: first + index, cursor, page: data });
    }
  });
  const pageAt = (index: number): UseQueryResult<Page<Pet>> | undefined => results[index - first];
  const count = starts.at(-1) ?? 0;
  const isComplete = known.at(-1)?.next === null;
  const failed = results.find(({ isError }) => isError);
  const retry = useCallback(() => failed?.refetch(), [failed]);
  return {
    count,
    isComplete,
    isUnknown: known[0]?.length === undefined,
    error: failed?.error,
    rowAt(index) {
      const page = pageOf(starts, index);
      return pageAt(page)?.data?.items[index - (starts[page] ?? 0)];
    },
    cursorAt: (index) => known[pageOf(starts, index)]?.cursor,
    continuation: known.at(-1)?.next ?? undefined,
    retry,
  };
}

/** Not made among the results, which a query would then hold on to, and through them all queries before it. */
function pageQuery(store: AnimalStore, filter: SortedFilter, cursor: string | undefined) {
  return {
    queryKey: [...names.animals, filter.sort, filter.status ?? "", String(filter.categoryId ?? ""), cursor ?? ""],
    queryFn: () => store.pets.list({ ...filter, limit: longestPage, cursor }).page(),
    // Pages that were scrolled past are let go of.
    gcTime: 5_000,
    structuralSharing: false,
  };
}

/** Reads page after page up to the target, without waiting for each to be drawn first. */
function useReadAhead(
  known: readonly KnownPage[],
  target: number,
  readPage: (cursor: string | undefined) => Promise<Page<Pet>>,
  onRead: (news: News) => void,
): void {
  const latestTarget = useRef(target);
  latestTarget.current = target;
  const isReading = useRef(false);
  const end = known.at(-1);
  const endIndex = known.length - 1;
  const isWanted = end !== undefined && end.length === undefined && endIndex <= target;
  useEffect(() => {
    if (!isWanted || isReading.current) return;
    isReading.current = true;
    const readOn = async () => {
      let cursor = end?.cursor;
      for (let index = endIndex; index <= latestTarget.current; index++) {
        const page = await readPage(cursor);
        onRead({ index, cursor, page });
        if (page.next === undefined || index + 1 >= mostPages) return;
        cursor = page.next;
      }
    };
    // Errors are shown by the components that use the page.
    readOn()
      .catch(() => {})
      .finally(() => {
        isReading.current = false;
      });
  }, [isWanted, end, endIndex, readPage, onRead]);
}

/** As far ahead as people scroll while a few pages are read. */
const pagesAhead = 15;
/** Before anybody has touched the page, which has enough to do when it starts. */
const pagesAtFirst = 1;
const pagesBehind = 2;

interface News {
  readonly index: number;
  readonly cursor: string | undefined;
  readonly page: Page<Pet>;
}

/** What comes late, of a page that is no longer there, changes nothing. */
function learn(pages: readonly KnownPage[], { index, cursor, page }: News): readonly KnownPage[] {
  return pages[index]?.cursor === cursor ? advance(pages, index, page) : pages;
}

/** The page that a row is on. */
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
