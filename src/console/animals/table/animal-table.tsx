// biome-ignore-all lint/a11y/useSemanticElements: virtual rows are positioned absolutely, which rows of a table element cannot be.
// biome-ignore-all lint/a11y/noStaticElementInteractions: the keys move the focus between the buttons in the rows.
// biome-ignore-all lint/a11y/useFocusableInteractive: the buttons in the rows have the focus.

import { useQueryClient } from "@tanstack/react-query";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Pet } from "../../../../packages/client/src/index.ts";
import type { PetFilter } from "../../../domain/pet.ts";
import { queryKeys, useCategories, useCategoryNames } from "../../api/queries.ts";
import { clearUnseenChanges, useUnseenChangeCount } from "../../live/unseen-changes.ts";
import { changeParameters, useAddress } from "../../parts/address.tsx";
import { narrowScreenQuery, useAppearance, useMedia } from "../../parts/appearance.ts";
import { Button } from "../../parts/controls.tsx";
import { formatCount, pluralize } from "../../parts/format-count.ts";
import { Loading, QueryFailure } from "../../parts/view.tsx";
import { useWindowEvents } from "../../parts/window-events.ts";
import { useStore } from "../../session/session.tsx";
import { BulkBar } from "../bulk.tsx";
import type { AnimalCount } from "../counts.tsx";
import { useMarks } from "../marks.ts";
import { type Selection, useSelection } from "../selection.ts";
import { type AnimalRows, useAnimalRows } from "./animal-pages.ts";
import { Row } from "./animal-row.tsx";
import { useTableKeys } from "./use-table-keys.ts";

interface AnimalTableProps {
  readonly filter: PetFilter;
  readonly count: AnimalCount | undefined;
  readonly onRestart: () => void;
  /** Shown instead of the table if no animal matches the filter. */
  readonly children: ReactNode;
}

/** The table of the animals that match a filter. To change the filter or the start, mount a new component with another key. */
export function AnimalTable({ filter, count, onRestart, children }: AnimalTableProps) {
  const { parameters } = useAddress();
  // The address follows the scroll position, but only a newly mounted table starts at the place in the address.
  const [start] = useState(parameters["place"]);
  const selection = useSelection(filter);
  const area = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [visible, setVisible] = useState({ first: 0, last: 30 });
  const rows = useAnimalRows(useStore(), filter, start, visible);
  const { virtualizer, shown, rowHeight, margin } = useVirtualRows(rows, body);
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => setVisible({ first, last }), [first, last]);
  const topCursor = virtualizer.range ? rows.cursorAt(virtualizer.range.startIndex) : undefined;
  useEffect(() => {
    const timer = setTimeout(() => changeParameters({ place: topCursor }, "replace"), 300);
    return () => clearTimeout(timer);
  }, [topCursor]);
  const { active, handleKey } = useTableKeys(rows, body, selection, (index) => virtualizer.scrollToIndex(index));
  const getRowProps = useRowProps(rows, selection);
  const widths = useWidths(shown.map(({ index }) => rows.rowAt(index)));
  const unseen = useUnseenChanges(area);
  const startButton = start !== undefined && (
    <Button className="quiet" onClick={onRestart} icon="arrowUp">
      Start from the newest
    </Button>
  );
  if (rows.isFirstPageMissing) {
    if (!rows.error) return <Loading what="animals" />;
    return (
      <>
        <QueryFailure error={rows.error} onRetry={rows.retry} />
        {startButton}
      </>
    );
  }
  if (rows.count === 0) return children;
  return (
    <div ref={area} className="contents">
      <QueryFailure error={rows.error} isStale onRetry={rows.retry} />
      <div className="summary">
        <p>{describeRows(rows, start, count)}</p>
        {startButton}
        {unseen.count > 0 && (
          <Button className="others-changes" onClick={unseen.show} icon="arrowUp">
            Others changed {pluralize(unseen.count, "animal")}. Show
          </Button>
        )}
      </div>
      {selection.chosen.size > 0 && <BulkBar selection={selection} total={count} />}
      <div
        className={selection.isEnabled ? "table selectable" : "table"}
        role="table"
        aria-label="Animals"
        aria-rowcount={rows.isComplete ? rows.count + 1 : -1}
        style={{ ...widths, "--row-height": `${rowHeight}px` } as CSSProperties}
        onKeyDown={handleKey}
      >
        <ColumnTitles isSelectable={selection.isEnabled} />
        <div ref={body} className="rows" role="rowgroup" style={{ height: virtualizer.getTotalSize() }}>
          {shown.map(({ index, start: offset }) => (
            <Row
              key={index}
              index={index}
              offset={offset - margin}
              isTabStop={index === active || (index === first && (active < first || active > last))}
              {...getRowProps(index)}
            />
          ))}
        </div>
      </div>
    </div>
  );
}

function useVirtualRows(rows: AnimalRows, body: RefObject<HTMLDivElement | null>) {
  const rowHeight = useRowHeight();
  const margin = useDistanceFromTop(body, !rows.isFirstPageMissing && rows.count > 0);
  const virtualizer = useWindowVirtualizer({
    count: rows.count,
    estimateSize: () => rowHeight,
    scrollMargin: margin,
    // The heights of the top bar and of the column titles, which are sticky.
    scrollPaddingStart: 56 + 44,
    overscan: 10,
  });
  useLayoutEffect(() => {
    if (rowHeight > 0) virtualizer.measure();
  }, [rowHeight, virtualizer]);
  return { virtualizer, shown: virtualizer.getVirtualItems(), rowHeight, margin };
}

function useRowProps(rows: AnimalRows, selection: Selection) {
  const categories = useCategoryNames();
  const hasMoreCategories = useCategories().data?.isComplete === false;
  const marks = useMarks();
  const latest = useRef({ rows, selection });
  latest.current = { rows, selection };
  const select = useCallback((index: number, isRange: boolean) => {
    latest.current.selection.select(index, latest.current.rows.rowAt, isRange);
  }, []);
  return (index: number) => {
    const pet = rows.rowAt(index);
    return {
      pet,
      category: pet && categories.get(String(pet.categoryId)),
      hasMoreCategories,
      mark: pet && marks.get(pet.id),
      isSelected: pet !== undefined && selection.chosen.has(pet.id),
      onSelect: selection.isEnabled ? select : undefined,
    };
  };
}

function ColumnTitles({ isSelectable }: { isSelectable: boolean }) {
  return (
    <div role="rowgroup" className="head">
      <div role="row" className="row" aria-rowindex={1}>
        {isSelectable && (
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
  );
}

function describeRows(rows: AnimalRows, start: string | undefined, total: AnimalCount | undefined): string {
  const number = pluralize(rows.count, "animal");
  if (rows.isComplete && start === undefined) return `${number}, newest first`;
  const ofTotal = start === undefined && total && !total.isMore ? ` of ${formatCount(total.number)}` : "";
  return `${number} loaded${ofTotal}, newest first`;
}

/** Refetches the table after changes by others that move rows. While the table is in use, only counts the changes: rows must not move. */
function useUnseenChanges(area: RefObject<HTMLElement | null>) {
  const queries = useQueryClient();
  const count = useUnseenChangeCount();
  const [isInUse, setInUse] = useState(false);
  const check = () => setInUse(isTableInUse(area.current));
  useWindowEvents({ pointermove: check, focusin: check, focusout: check, scroll: check });
  const show = () => {
    clearUnseenChanges();
    queries.invalidateQueries({ queryKey: queryKeys.animals });
  };
  useEffect(() => {
    if (count > 0 && !isInUse) show();
  });
  return {
    count: isInUse ? count : 0,
    show() {
      show();
      scrollTo({ top: 0 });
    },
  };
}

/** `area` includes the button that shows the changes, so that the button does not vanish when the pointer approaches. */
function isTableInUse(area: HTMLElement | null): boolean {
  return area !== null && (scrollY > 0 || area.matches(":hover") || area.contains(document.activeElement));
}

function useRowHeight(): number {
  const [density] = useAppearance("density");
  const isNarrow = useMedia(narrowScreenQuery);
  if (isNarrow) return density === "compact" ? 48 : 60;
  return density === "compact" ? 34 : 44;
}

function useDistanceFromTop(element: RefObject<HTMLElement | null>, isMounted: boolean): number {
  const [distance, setDistance] = useState(0);
  useLayoutEffect(() => {
    if (!isMounted) return;
    const measure = () => {
      const box = element.current?.getBoundingClientRect();
      if (box) setDistance(Math.round(box.top + scrollY));
    };
    measure();
    // Measures only when the height of the page changes, as when an element appears above the table: scrolling must stay fast.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element, isMounted]);
  return distance;
}

/** Returns the widths of the columns in characters. Each width is that of the longest text so far, so that columns never shrink. */
function useWidths(pets: readonly (Pet | undefined)[]): Record<string, number> {
  const categories = useCategoryNames();
  const widths = useRef({ "--number-width": 4, "--name-width": 14, "--category-width": 8 });
  const widen = (column: keyof typeof widths.current, text: string) => {
    widths.current[column] = Math.min(maxColumnWidth, Math.max(widths.current[column], [...text].length));
  };
  for (const pet of pets) {
    if (!pet) continue;
    widen("--number-width", String(pet.id));
    widen("--name-width", pet.name);
    widen("--category-width", `${pet.categoryId}${categories.get(String(pet.categoryId)) ?? ""}`);
  }
  return widths.current;
}

const maxColumnWidth = 36;
