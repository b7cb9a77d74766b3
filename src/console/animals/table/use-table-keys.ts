import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import { isFocusFree } from "../../parts/focus.ts";
import { plainKey } from "../../parts/shortcut.ts";
import type { Selection } from "../selection.ts";
import type { AnimalRows, Start } from "./animal-pages.ts";
import { useRowKeys } from "./use-row-keys.ts";

/** The keys of the table: they move the focus, select, and lead to either end of the list. */
export function useTableKeys({
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
    // With Ctrl, Cmd or Alt, letters are the browser's.
    const letter = event.ctrlKey || event.metaKey || event.altKey ? "" : plainKey(event);
    if (event.key === "End" && !rows.isComplete && !isFromEnd && canJump) onStart("end");
    else if (event.key === "Home" && isFromEnd && !rows.isComplete) onStart({ cursor: undefined, takesFocus: true });
    else if (selection.isOffered && row !== undefined && (event.key === " " || letter === "x")) {
      selection.select(from, rows.rowAt, event.shiftKey ? "range" : "toggle");
    } else if (row !== undefined && letters[letter]) {
      const pet = rows.rowAt(from);
      if (pet) letters[letter]?.(pet);
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
export function useWayIn(body: RefObject<HTMLDivElement | null>): void {
  useEffect(() => {
    const listen = (event: globalThis.KeyboardEvent) => {
      if (event.key !== "ArrowDown" || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      if (!isFocusFree()) return;
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
