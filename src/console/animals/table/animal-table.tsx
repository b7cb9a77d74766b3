// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot be where they are scrolled to.
// biome-ignore-all lint/a11y/noStaticElementInteractions: the keys move between the buttons in the rows.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus goes to the buttons in the rows.

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type ReactNode, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { PetFilter } from "../../../domain/pet.ts";
import { useCategories, useCategoryNames } from "../../api/queries.ts";
import { Button } from "../../parts/button.tsx";
import { counted, grouped } from "../../parts/counted.ts";
import { Icon } from "../../parts/icons.tsx";
import { Loading } from "../../parts/notices.tsx";
import { Unread } from "../../parts/unread.tsx";
import { useStore } from "../../session/session.tsx";
import { useMarks } from "../marks.ts";
import type { Selection } from "../selection.ts";
import { type AnimalRows, type Start, useAnimalRows } from "./animal-pages.ts";
import { Row } from "./animal-row.tsx";
import { useDistanceFromTop, useRowHeight, useWidths } from "./table-layout.ts";
import { useNewsOfOthers } from "./use-news-of-others.ts";
import { useTableKeys, useWayIn } from "./use-table-keys.ts";

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
  const hasMoreCategories = useCategories().data?.isWhole === false;
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
  const { active, press } = useTableKeys({
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
          <Button className="news-of-others" onClick={news.show}>
            <Icon name="arrowUp" size={16} />
            {news.count === 1 ? "Somebody changed 1 animal." : `Others changed ${grouped(news.count)} animals.`} Show
          </Button>
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
                hasMoreCategories={hasMoreCategories}
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
        <Button onClick={() => onStart({ cursor: rows.continuation })}>Show the next animals</Button>
      )}
    </div>
  );
}

function FromTheFirst({ onStart }: { onStart: (start: Start) => void }) {
  return (
    <Button className="quiet" onClick={() => onStart({ cursor: undefined })}>
      <Icon name="arrowUp" size={16} />
      Start from the newest
    </Button>
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
