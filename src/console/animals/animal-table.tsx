// biome-ignore-all lint/a11y/useSemanticElements: the rows of a table element cannot stand where they are scrolled to.
// biome-ignore-all lint/a11y/noStaticElementInteractions: the keys move between the buttons in the rows.
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus goes to the buttons in the rows.

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, useEffect, useRef, useState } from "react";
import type { PetFilter } from "../../domain/pet.ts";
import type { Api, Pet } from "../api/api.ts";
import { useCategoryNames } from "../api/queries.ts";
import { CategoryName } from "../categories/category-name.tsx";
import { Failure, Loading } from "../parts/notices.tsx";
import { Status } from "../parts/status.tsx";
import { useAnimalRows } from "./animal-pages.ts";

/** The catalogue, row by row, however many there are. */
export function AnimalTable({
  api,
  filter,
  start,
  total,
  onOpen,
  onMove,
  onContinue,
  whenEmpty,
}: {
  api: Api;
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
  const scroller = useRef<HTMLDivElement>(null);
  const categories = useCategoryNames(api);
  const [seen, setSeen] = useState({ first: 0, last: 30 });
  const rows = useAnimalRows(api, filter, start, seen);
  const virtual = useVirtualizer({
    count: rows.count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    // The row of titles stays at the top.
    scrollMargin: rowHeight,
    scrollPaddingStart: rowHeight,
    overscan: 10,
  });
  const shown = virtual.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => setSeen({ first, last }), [first, last]);
  const top = virtual.range ? rows.cursorAt(virtual.range.startIndex) : start;
  useEffect(() => {
    const timer = setTimeout(() => onMove(top), 300);
    return () => clearTimeout(timer);
  }, [top, onMove]);
  const { active, move } = useActiveRow(rows.count, scroller, (index) => virtual.scrollToIndex(index));

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
      <div className="table" role="table" aria-label="Animals" aria-rowcount={rows.isComplete ? rows.count + 1 : -1}>
        <div ref={scroller} className="scroller" role="presentation" onKeyDown={move}>
          <div role="rowgroup" className="head">
            <div role="row" className="row" aria-rowindex={1}>
              <span role="columnheader" aria-sort="ascending">
                Number
              </span>
              <span role="columnheader">Name</span>
              <span role="columnheader" className="category">
                Category
              </span>
              <span role="columnheader">Status</span>
            </div>
          </div>
          <div className="rows" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
            {shown.map(({ index, start: offset }) => {
              const pet = rows.rowAt(index);
              const isReachable = index === active || (index === first && (active < first || active > last));
              return (
                <Row
                  key={index}
                  index={index}
                  offset={offset - rowHeight}
                  pet={pet}
                  category={pet && categories.get(String(pet.categoryId))}
                  isReachable={isReachable}
                  onOpen={onOpen}
                />
              );
            })}
          </div>
        </div>
      </div>
      <footer className="foot">
        <p>
          {count(rows.count)} {rows.count === 1 ? "animal" : "animals"}
          {!rows.isComplete && " loaded"}
          {!rows.isComplete && total !== undefined && start === undefined && ` of ${count(total)}`}, sorted by number,
          the oldest first.
        </p>
        {start !== undefined && (
          <button type="button" className="quiet" onClick={() => onContinue(undefined)}>
            Start from the first
          </button>
        )}
        {rows.continuation !== undefined && (
          <button type="button" className="quiet" onClick={() => onContinue(rows.continuation)}>
            Show the next animals
          </button>
        )}
      </footer>
    </>
  );
}

const rowHeight = 36;

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
            className="link"
            dir="auto"
            data-row={index}
            tabIndex={isReachable ? 0 : -1}
            onClick={() => onOpen(pet.id)}
          >
            {pet.name}
          </button>
        ) : (
          <span className="blank">…</span>
        )}
      </span>
      <span role="cell" className="category">
        {pet && <CategoryName id={pet.categoryId} name={category} />}
      </span>
      <span role="cell">{pet && <Status status={pet.status} />}</span>
    </div>
  );
});

function count(number: number): string {
  return number.toLocaleString();
}

/** The row that the arrow keys are at. */
function useActiveRow(
  rowCount: number,
  scroller: React.RefObject<HTMLDivElement | null>,
  scrollTo: (index: number) => void,
) {
  const [active, setActive] = useState(0);
  const focus = useRef<number>(undefined);
  useEffect(() => {
    // The row that is to have the focus may be drawn only after it was scrolled to.
    const button = scroller.current?.querySelector<HTMLElement>(`[data-row="${focus.current}"]`);
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
