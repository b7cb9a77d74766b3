// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot be where they are scrolled to.
// biome-ignore-all lint/a11y/noStaticElementInteractions: the keys move between the buttons in the rows.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus goes to the buttons in the rows.

import { useQueryClient } from "@tanstack/react-query";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Pet } from "../../client/index.ts";
import type { PetFilter } from "../../domain/pet.ts";
import { names, useCategoryNames } from "../api/queries.ts";
import { forgetChanges, useWaiting } from "../live/waiting.ts";
import { narrow, useAppearance, useMedia } from "../parts/appearance.ts";
import { counted, grouped } from "../parts/counted.ts";
import { Icon } from "../parts/icons.tsx";
import { Loading } from "../parts/notices.tsx";
import { Unread } from "../parts/unread.tsx";
import { useStore } from "../session/session.tsx";
import { type AnimalRows, type Start, useAnimalRows } from "./animal-pages.ts";
import { Row } from "./animal-row.tsx";
import { useMarks } from "./marks.ts";
import type { Selection } from "./selection.ts";
import { useRowKeys } from "./use-row-keys.ts";

/** The catalogue, row by row, however many there are, the newest first. The page itself scrolls through it. */
export function AnimalTable({
  filter,
  start,
  total,
  selection,
  bulkBar,
  onOpen,
  onMove,
  onStart,
  whenEmpty,
}: {
  filter: PetFilter;
  start: Start;
  /** How many animals there are in all, if that is known. */
  total: number | undefined;
  selection: Selection;
  /** What can be done with those that are selected, in the place of the titles. */
  bulkBar: ReactNode;
  onOpen: (id: number) => void;
  /** Told which cursor is now at the top. */
  onMove: (cursor: string | undefined) => void;
  /** Told to begin elsewhere. */
  onStart: (start: Start) => void;
  whenEmpty: ReactNode;
}) {
  const place = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const categories = useCategoryNames();
  const marks = useMarks();
  const [seen, setSeen] = useState({ first: 0, last: 30 });
  const rows = useAnimalRows(useStore(), filter, start, total, seen);
  const rowHeight = useRowHeight();
  const margin = useDistanceFromTop(body, !rows.isUnknown && rows.count > 0);
  const virtual = useWindowVirtualizer({
    count: rows.count,
    estimateSize: () => rowHeight,
    scrollMargin: margin,
    // The bar and the row of titles stay at the top.
    scrollPaddingStart: stickyHeight,
    overscan: 10,
  });
  useLayoutEffect(() => {
    if (rowHeight > 0) virtual.measure();
  }, [rowHeight, virtual]);
  const shown = virtual.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => setSeen({ first, last }), [first, last]);
  const top = start !== "end" && virtual.range ? rows.cursorAt(virtual.range.startIndex) : undefined;
  useEffect(() => {
    const timer = setTimeout(() => onMove(top), 300);
    return () => clearTimeout(timer);
  }, [top, onMove]);
  const { active, press } = useKeys({
    rows,
    body,
    selection,
    start,
    canJump: total !== undefined,
    scrollTo: (index) => virtual.scrollToIndex(index),
    onStart,
  });
  useWayIn(body);
  const latest = useRef({ rows, selection });
  latest.current = { rows, selection };
  const select = useCallback((index: number, isRange: boolean) => {
    latest.current.selection.select(index, latest.current.rows.rowAt, isRange ? "range" : "toggle");
  }, []);
  const widths = useWidths(
    shown.map(({ index }) => rows.rowAt(index)),
    categories,
  );
  const news = useNewsOfOthers(place);

  if (rows.isUnknown) {
    if (!rows.error) return <Loading what="animals" />;
    return (
      <>
        <Unread error={rows.error} onRetry={rows.retry} />
        {isElsewhere(start) && <FromTheFirst onStart={onStart} />}
      </>
    );
  }
  if (rows.count === 0) return whenEmpty;
  return (
    <div ref={place} className="placeless">
      <Unread error={rows.error} isStale onRetry={rows.retry} />
      <div className="summary">
        <p>{describeRows(rows, start, total)}</p>
        {isElsewhere(start) && <FromTheFirst onStart={onStart} />}
        {news.count > 0 && (
          <button type="button" className="news-of-others" onClick={news.show}>
            <Icon name="arrowUp" size={16} />
            {news.count === 1 ? "Somebody changed 1 animal." : `Others changed ${grouped(news.count)} animals.`} Show
          </button>
        )}
      </div>
      {bulkBar}
      <div
        className={selection.isOffered ? "table selectable" : "table"}
        role="table"
        aria-label="Animals"
        aria-rowcount={rows.isComplete ? rows.count + 1 : -1}
        style={{ ...widths, "--row-height": `${rowHeight}px` } as CSSProperties}
        onKeyDown={press}
      >
        <div role="rowgroup" className="head">
          <div role="row" className="row" aria-rowindex={1}>
            {selection.isOffered && (
              <span role="columnheader" className="check">
                <span className="unseen">Selected</span>
              </span>
            )}
            <span role="columnheader" aria-sort="descending" className="number">
              Number
            </span>
            <span role="columnheader">Name</span>
            <span role="columnheader" className="category">
              Category
            </span>
            <span role="columnheader">Status</span>
          </div>
        </div>
        <div ref={body} className="rows" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start: offset }) => {
            const pet = rows.rowAt(index);
            const isReachable = index === active || (index === first && (active < first || active > last));
            return (
              <Row
                key={index}
                index={index}
                offset={offset - margin}
                pet={pet}
                category={pet && categories.get(String(pet.categoryId))}
                mark={pet && marks.get(pet.id)}
                isSelected={pet ? selection.chosen.has(pet.id) : false}
                isReachable={isReachable}
                onOpen={onOpen}
                onSelect={selection.isOffered ? select : undefined}
              />
            );
          })}
        </div>
      </div>
      {rows.continuation !== undefined && start !== "end" && (
        <button type="button" onClick={() => onStart({ cursor: rows.continuation })}>
          Show the next animals
        </button>
      )}
    </div>
  );
}

function FromTheFirst({ onStart }: { onStart: (start: Start) => void }) {
  return (
    <button type="button" className="quiet" onClick={() => onStart({ cursor: undefined })}>
      <Icon name="arrowUp" size={16} />
      Start from the newest
    </button>
  );
}

/** What stays at the top while the page is scrolled: the bar, and the row of titles. */
const stickyHeight = 56 + 44;

function isElsewhere(start: Start): boolean {
  return start === "end" || start.cursor !== undefined;
}

function describeRows(rows: AnimalRows, start: Start, total: number | undefined): string {
  const order = "newest first";
  const known = start === "end" ? Math.max(total ?? 0, rows.count) : rows.count;
  const number = counted(known, "animal");
  if (rows.isComplete && !isElsewhere(start)) return `${number}, ${order}`;
  if (start === "end") return `${number}, ${order}, from the end`;
  return total === undefined || isElsewhere(start)
    ? `${number} loaded, ${order}`
    : `${number} loaded of ${grouped(total)}, ${order}`;
}

/** On a telephone the category is below the name, which needs a second line. */
function useRowHeight(): number {
  const [density] = useAppearance("density");
  const isNarrow = useMedia(narrow);
  if (isNarrow) return density === "compact" ? 48 : 60;
  return density === "compact" ? 34 : 44;
}

/** How far below the top of the page an element begins. */
function useDistanceFromTop(element: RefObject<HTMLElement | null>, isThere: boolean): number {
  const [distance, setDistance] = useState(0);
  useLayoutEffect(() => {
    if (!isThere) return;
    const measure = () => {
      const box = element.current?.getBoundingClientRect();
      if (box) setDistance(Math.round(box.top + scrollY));
    };
    measure();
    // Whatever comes above it changes how high the page is; to measure while it is scrolled would be slow.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element, isThere]);
  return distance;
}

/** Columns are as wide as what was in them so far, within reason; they never become narrower under somebody's eyes. */
function useWidths(
  pets: readonly (Pet | undefined)[],
  categories: ReadonlyMap<string, string>,
): Record<string, number> {
  const widest = useRef({ number: 4, name: 14, category: 8 });
  const take = (column: "number" | "name" | "category", length: number) => {
    widest.current[column] = Math.min(mostLetters, Math.max(widest.current[column], length));
  };
  for (const pet of pets) {
    if (!pet) continue;
    const category = String(pet.categoryId);
    take("number", String(pet.id).length);
    take("name", [...pet.name].length);
    take("category", category.length + [...(categories.get(category) ?? "")].length);
  }
  const { number, name, category } = widest.current;
  return { "--number-width": number, "--name-width": name, "--category-width": category };
}

const mostLetters = 36;

/**
 * What others have added, deleted or moved. It is shown at once, unless somebody is at the table: then rows stay where they
 * are under the pointer, until the person asks for the news or goes away.
 */
function useNewsOfOthers(place: RefObject<HTMLElement | null>): { readonly count: number; show(): void } {
  const queries = useQueryClient();
  const count = useWaiting();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    const look = () => setBusy(isAtWork(place.current));
    const events = ["pointermove", "focusin", "focusout", "scroll"] as const;
    for (const event of events) addEventListener(event, look, { passive: true });
    look();
    return () => {
      for (const event of events) removeEventListener(event, look);
    };
  }, [place]);
  const show = () => {
    forgetChanges();
    queries.invalidateQueries({ queryKey: names.animals });
  };
  const latestShow = useRef(show);
  latestShow.current = show;
  useEffect(() => {
    if (count > 0 && !isBusy) latestShow.current();
  }, [count, isBusy]);
  return {
    count: isBusy ? count : 0,
    show() {
      show();
      scrollTo({ top: 0 });
    },
  };
}

/** The button that shows the news is within it, so that it does not vanish under the pointer on its way there. */
function isAtWork(place: HTMLElement | null): boolean {
  if (!place) return false;
  return scrollY > 0 || place.matches(":hover") || place.contains(document.activeElement);
}

/** The keys of the table: they move the focus, select, and lead to either end of the list. */
function useKeys({
  rows,
  body,
  selection,
  start,
  canJump,
  scrollTo,
  onStart,
}: {
  rows: AnimalRows;
  body: RefObject<HTMLDivElement | null>;
  selection: Selection;
  start: Start;
  /** Whether it is known where the end is before everything was read. */
  canJump: boolean;
  scrollTo: (index: number) => void;
  onStart: (start: Start) => void;
}) {
  const letters = useRowKeys();
  const isFromEnd = start === "end";
  const [active, setActive] = useState(isFromEnd ? rows.count - 1 : 0);
  /** The row that is to have the focus. */
  const focus = useRef<number>(isFromEnd ? Number.POSITIVE_INFINITY : start.takesFocus ? 0 : undefined);
  useEffect(() => {
    if (focus.current === undefined || rows.isUnknown) return;
    if (focus.current >= rows.count) {
      focus.current = rows.count - 1;
      setActive(focus.current);
      scrollTo(focus.current);
    }
    // It may be drawn only after it was scrolled to.
    const button = body.current?.querySelector<HTMLElement>(`[data-row="${focus.current}"]`);
    if (!button) return;
    button.focus({ preventScroll: true });
    focus.current = undefined;
  });
  const goTo = (index: number) => {
    focus.current = index;
    setActive(index);
    scrollTo(index);
  };
  const press = (event: KeyboardEvent) => {
    const row = (event.target as HTMLElement).dataset["row"];
    // Keys may come faster than rows are drawn; then they go on from where the focus is to be.
    const from = focus.current ?? Number(row ?? active);
    if (event.key === "End" && !rows.isComplete && !isFromEnd && canJump) onStart("end");
    else if (event.key === "Home" && isFromEnd && !rows.isComplete) onStart({ cursor: undefined, takesFocus: true });
    else if (selection.isOffered && row !== undefined && (event.key === " " || event.key === "x")) {
      selection.select(from, rows.rowAt, event.shiftKey ? "range" : "toggle");
    } else if (row !== undefined && letters[event.key] && !(event.ctrlKey || event.metaKey || event.altKey)) {
      const pet = rows.rowAt(from);
      if (pet) letters[event.key]?.(pet);
    } else if (selection.isOffered && event.key === "Escape" && selection.chosen.size > 0) selection.clear();
    else {
      const to = targetOf(event.key, from, rows.count);
      if (to === undefined) return;
      if (event.shiftKey && selection.isOffered) selection.extend(from, to, rows.rowAt);
      goTo(to);
    }
    event.preventDefault();
  };
  return { active, press };
}

/** The arrow down leads into the list from wherever nothing else has the focus. */
function useWayIn(body: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      const { activeElement } = document;
      if (event.key !== "ArrowDown" || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      if (activeElement !== document.body && !activeElement?.matches("main")) return;
      const row = body.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]');
      if (!row) return;
      event.preventDefault();
      row.focus({ preventScroll: true });
    };
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, [body]);
}

function targetOf(key: string, from: number, rowCount: number): number | undefined {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };
  const step = steps[key];
  if (step !== undefined) return Math.min(rowCount - 1, Math.max(0, from + step));
  if (key === "Home") return 0;
  return key === "End" ? rowCount - 1 : undefined;
}
