// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot stand where they are scrolled to.
// biome-ignore-all lint/a11y/noStaticElementInteractions: the keys move between the buttons in the rows.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus goes to the buttons in the rows.

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type KeyboardEvent, memo, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Pet } from "../../client/index.ts";
import type { PetFilter } from "../../domain/pet.ts";
import { useCategoryNames } from "../api/queries.ts";
import { CategoryName } from "../categories/category-name.tsx";
import { narrow, useAppearance, useMedia } from "../parts/appearance.ts";
import { Failure, Loading } from "../parts/notices.tsx";
import { Status } from "../parts/status.tsx";
import { useStore } from "../session/session.tsx";
import { type AnimalRows, useAnimalRows } from "./animal-pages.ts";

/** The catalogue, row by row, however many there are. The page itself scrolls through it. */
export function AnimalTable({
  filter,
  start,
  total,
  onOpen,
  onMove,
  onContinue,
  whenEmpty,
}: {
  filter: PetFilter;
  /** The cursor that the table starts at, if not at the first animal. */
  start: string | undefined;
  /** How many animals there are in all, if that is known. */
  total: number | undefined;
  onOpen: (id: number) => void;
  /** Told which cursor is now at the top. */
  onMove: (cursor: string | undefined) => void;
  onContinue: (cursor: string | undefined) => void;
  whenEmpty: React.ReactNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  const categories = useCategoryNames();
  const [seen, setSeen] = useState({ first: 0, last: 30 });
  const rows = useAnimalRows(useStore(), filter, start, seen);
  const rowHeight = useRowHeight();
  const margin = useDistanceFromTop(body);
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
  const top = virtual.range ? rows.cursorAt(virtual.range.startIndex) : start;
  useEffect(() => {
    const timer = setTimeout(() => onMove(top), 300);
    return () => clearTimeout(timer);
  }, [top, onMove]);
  const { active, move } = useActiveRow(rows.count, body, (index) => virtual.scrollToIndex(index));
  const widths = useWidths(shown.map(({ index }) => rows.rowAt(index)));

  if (rows.isUnknown) {
    if (!rows.error) return <Loading what="animals" />;
    return (
      <>
        <Failure error={rows.error} onRetry={rows.retry} />
        {start !== undefined && (
          <button type="button" onClick={() => onContinue(undefined)}>
            Start from the first
          </button>
        )}
      </>
    );
  }
  if (rows.count === 0) return whenEmpty;
  return (
    <>
      <Failure error={rows.error} onRetry={rows.retry} />
      <div className="summary">
        <p>{describeRows(rows, start === undefined ? total : undefined)}</p>
        {start !== undefined && (
          <button type="button" className="quiet" onClick={() => onContinue(undefined)}>
            Start from the first
          </button>
        )}
      </div>
      <div
        className="table"
        role="table"
        aria-label="Animals"
        aria-rowcount={rows.isComplete ? rows.count + 1 : -1}
        style={{ ...widths, "--row-height": `${rowHeight}px` } as CSSProperties}
        onKeyDown={move}
      >
        <div role="rowgroup" className="head">
          <div role="row" className="row" aria-rowindex={1}>
            <span role="columnheader" aria-sort="ascending" className="number">
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
                isReachable={isReachable}
                onOpen={onOpen}
              />
            );
          })}
        </div>
      </div>
      {rows.continuation !== undefined && (
        <button type="button" onClick={() => onContinue(rows.continuation)}>
          Show the next animals
        </button>
      )}
    </>
  );
}

/** What stays at the top while the page is scrolled: the bar, and the row of titles. */
const stickyHeight = 56 + 36;

/** Drawn again only if something about it is different, since there are many of them in every moment of scrolling. */
const Row = memo(function Row({
  index,
  offset,
  pet,
  category,
  isReachable,
  onOpen,
}: {
  index: number;
  offset: number;
  /** Undefined while it is being read. */
  pet: Pet | undefined;
  category: string | undefined;
  /** Whether the Tab key stops here; from there, the arrows lead on. */
  isReachable: boolean;
  onOpen: (id: number) => void;
}) {
  return (
    <div role="row" className="row" aria-rowindex={index + 2} style={{ transform: `translateY(${offset}px)` }}>
      <span role="cell" className="number">
        {pet?.id}
      </span>
      <span role="cell" className="name">
        {pet ? (
          <button
            type="button"
            className="open"
            dir="auto"
            data-row={index}
            tabIndex={isReachable ? 0 : -1}
            onClick={() => onOpen(pet.id)}
          >
            {pet.name}
          </button>
        ) : (
          <span className="blank bone" />
        )}
      </span>
      <span role="cell" className="category">
        {pet && <CategoryName id={pet.categoryId} name={category} />}
      </span>
      <span role="cell" className="standing">
        {pet && <Status status={pet.status} />}
      </span>
    </div>
  );
});

function describeRows(rows: AnimalRows, total: number | undefined): string {
  const number = `${rows.count.toLocaleString()} ${rows.count === 1 ? "animal" : "animals"}`;
  if (rows.isComplete) return `${number}, oldest first`;
  return total === undefined
    ? `${number} loaded, oldest first`
    : `${number} loaded of ${total.toLocaleString()}, oldest first`;
}

/** On a telephone the category is below the name, which needs a second line. */
function useRowHeight(): number {
  const [density] = useAppearance("density");
  const isNarrow = useMedia(narrow);
  if (isNarrow) return density === "compact" ? 48 : 60;
  return density === "compact" ? 34 : 44;
}

/** How far below the top of the page an element begins. */
function useDistanceFromTop(element: React.RefObject<HTMLElement | null>): number {
  const [distance, setDistance] = useState(0);
  useLayoutEffect(() => {
    const box = element.current?.getBoundingClientRect();
    if (box) setDistance(Math.round(box.top + scrollY));
  });
  return distance;
}

/** Columns are as wide as what was in them so far, within reason; they never become narrower under somebody's eyes. */
function useWidths(pets: readonly (Pet | undefined)[]): Record<string, number> {
  const widest = useRef({ number: 4, name: 14 });
  for (const pet of pets) {
    if (!pet) continue;
    widest.current.number = Math.max(widest.current.number, String(pet.id).length);
    widest.current.name = Math.min(36, Math.max(widest.current.name, [...pet.name].length));
  }
  return { "--number-width": widest.current.number, "--name-width": widest.current.name };
}

/** The row that the arrow keys are at. */
function useActiveRow(
  rowCount: number,
  body: React.RefObject<HTMLDivElement | null>,
  scrollTo: (index: number) => void,
) {
  const [active, setActive] = useState(0);
  const focus = useRef<number>(undefined);
  useEffect(() => {
    // The row that is to have the focus may be drawn only after it was scrolled to.
    const button = body.current?.querySelector<HTMLElement>(`[data-row="${focus.current}"]`);
    if (!button) return;
    button.focus({ preventScroll: true });
    focus.current = undefined;
  });
  const move = (event: KeyboardEvent) => {
    // Keys may come faster than rows are drawn; then they go on from where the focus is to be.
    const from = focus.current ?? Number((event.target as HTMLElement).dataset["row"] ?? active);
    const to = targetOf(event.key, from, rowCount);
    if (to === undefined) return;
    event.preventDefault();
    focus.current = to;
    setActive(to);
    scrollTo(to);
  };
  return { active, move };
}

function targetOf(key: string, from: number, rowCount: number): number | undefined {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15 };
  const step = steps[key];
  if (step !== undefined) return Math.min(rowCount - 1, Math.max(0, from + step));
  if (key === "Home") return 0;
  return key === "End" ? rowCount - 1 : undefined;
}
