import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { Pet } from "../../../../packages/client/src/index.ts";
import { adviceFor } from "../../api/errors.ts";
import { useHasScope, useTools } from "../../api/queries.ts";
import { useReserve } from "../../orders/order.tsx";
import { changeParameters } from "../../parts/address.tsx";
import { isNothingFocused } from "../../parts/focus.ts";
import { normalizeKey } from "../../parts/shortcut.ts";
import { useWindowEvents } from "../../parts/window-events.ts";
import type { Selection } from "../selection.ts";
import type { AnimalRows, Start } from "./animal-pages.ts";

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
  /** True if the position of the last row is known before all rows are read. */
  canJump: boolean;
  scrollTo: (index: number) => void;
  onStart: (start: Start) => void;
}) {
  const letters = useLetters();
  const isFromEnd = start === "end";
  const [active, setActive] = useState(isFromEnd ? rows.count - 1 : 0);
  /** The row that gets the focus once it is rendered. */
  const focus = useRef<number>(isFromEnd ? Number.POSITIVE_INFINITY : start.takesFocus ? 0 : undefined);
  const goTo = (index: number) => {
    focus.current = index;
    setActive(index);
    scrollTo(index);
  };
  useEffect(() => {
    if (focus.current === undefined || rows.isUnknown) return;
    if (focus.current >= rows.count) goTo(rows.count - 1);
    // The row may be rendered only after the table has scrolled to it.
    const button = body.current?.querySelector<HTMLElement>(`[data-row="${focus.current}"]`);
    if (!button) return;
    button.focus({ preventScroll: true });
    focus.current = undefined;
  });
  const rowCommand = (event: KeyboardEvent, row: number) => {
    // With Ctrl, Cmd or Alt, letters belong to the browser.
    const letter = event.ctrlKey || event.metaKey || event.altKey ? "" : normalizeKey(event);
    if (selection.isOffered && (event.key === " " || letter === "x")) {
      return () => selection.select(row, rows.rowAt, event.shiftKey ? "range" : "toggle");
    }
    const act = letters[letter];
    const pet = rows.rowAt(row);
    return act && (() => pet && act(pet));
  };
  const tableCommand = ({ key, shiftKey }: KeyboardEvent, from: number) => {
    if (selection.isOffered && key === "Escape" && selection.chosen.size > 0) return () => selection.clear();
    const to = targetOf(key, from, rows.count);
    if (to === undefined) return undefined;
    return () => {
      if (shiftKey && selection.isOffered) selection.extend(from, to, rows.rowAt);
      goTo(to);
    };
  };
  const jump = (key: string) => {
    if (rows.isComplete) return undefined;
    if (key === "End" && !isFromEnd && canJump) return () => onStart("end");
    return key === "Home" && isFromEnd ? () => onStart({ cursor: undefined, takesFocus: true }) : undefined;
  };
  const press = (event: KeyboardEvent) => {
    const { row } = (event.target as HTMLElement).dataset;
    // Keys may come faster than rows are rendered: they continue from the row that gets the focus next.
    const from = focus.current ?? Number(row ?? active);
    const command =
      jump(event.key) ?? (row === undefined ? undefined : rowCommand(event, from)) ?? tableCommand(event, from);
    if (!command) return;
    command();
    event.preventDefault();
  };
  return { active, press };
}

function useLetters(): Readonly<Record<string, ((pet: Pet) => void) | undefined>> {
  const { store, notify } = useTools();
  const canWrite = useHasScope("write");
  const reserve = useReserve();
  const complete = async ({ id, name }: Pet) => {
    const from = location.href;
    try {
      const { items } = await store.orders.list({ petId: id, status: "placed" }).page();
      const [order] = items;
      if (!order) return notify({ text: `${name} has no open order.` });
      // If the user has moved on, the question would take the next Enter as its answer.
      if (location.href !== from || document.querySelector("dialog[open]")) return;
      changeParameters({ order: String(order.id), end: "complete" });
    } catch (error) {
      notify({ text: `The order of ${name} could not be read. ${adviceFor(error)}` });
    }
  };
  const help = () => changeParameters({ help: "keys" });
  return canWrite ? { r: reserve, c: complete, "?": help } : { "?": help };
}

/** Moves the focus into the table on the down arrow, if nothing else has the focus. */
export function useWayIn(body: RefObject<HTMLDivElement | null>): void {
  useWindowEvents({
    keydown(event) {
      if (event.key !== "ArrowDown" || event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return;
      const row = isNothingFocused() && body.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]');
      if (!row) return;
      event.preventDefault();
      row.focus({ preventScroll: true });
    },
  });
}

function targetOf(key: string, from: number, rowCount: number): number | undefined {
  const targets: Record<string, number> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    PageDown: from + 15,
    PageUp: from - 15,
    Home: 0,
    End: rowCount - 1,
  };
  const target = targets[key];
  return target === undefined ? undefined : Math.min(rowCount - 1, Math.max(0, target));
}
