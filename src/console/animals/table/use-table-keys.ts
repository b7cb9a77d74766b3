import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { Pet } from "../../../../packages/client/src/index.ts";
import { useHasScope, useTools } from "../../api/queries.ts";
import { useReserveAnimal } from "../../orders/order.tsx";
import { changeParameters } from "../../parts/address.tsx";
import { describeError } from "../../parts/errors.ts";
import { isNothingFocused } from "../../parts/focus.ts";
import { normalizeKey } from "../../parts/shortcut.ts";
import { useWindowEvents } from "../../parts/window-events.ts";
import type { Selection } from "../selection.ts";
import type { AnimalRows } from "./animal-pages.ts";

export function useTableKeys(
  rows: AnimalRows,
  body: RefObject<HTMLDivElement | null>,
  selection: Selection,
  scrollTo: (index: number) => void,
) {
  useArrowDownIntoTable(body);
  const letterCommands = useLetterCommands();
  const [active, setActive] = useState(0);
  /** The row that receives the focus after the next rendering that contains the row. */
  const pendingFocus = useRef<number>(undefined);
  const goTo = (index: number) => {
    pendingFocus.current = index;
    setActive(index);
    scrollTo(index);
  };
  useEffect(() => {
    if (pendingFocus.current === undefined) return;
    // The row may not exist until the table has scrolled to the row.
    const button = body.current?.querySelector<HTMLElement>(`[data-row="${pendingFocus.current}"]`);
    if (!button) return;
    button.focus({ preventScroll: true });
    pendingFocus.current = undefined;
  });
  const runRowCommand = (event: KeyboardEvent, row: number): boolean => {
    // With Ctrl, Cmd or Alt, letters are shortcuts of the browser.
    const letter = event.ctrlKey || event.metaKey || event.altKey ? "" : normalizeKey(event);
    if (selection.isEnabled && (event.key === " " || letter === "x")) {
      selection.select(row, rows.rowAt, event.shiftKey);
      return true;
    }
    const command = letterCommands[letter];
    const pet = rows.rowAt(row);
    if (pet) command?.(pet);
    return command !== undefined;
  };
  const runTableCommand = ({ key, shiftKey }: KeyboardEvent, from: number): boolean => {
    const to = findTargetRow(key, from, rows.count);
    if (to !== undefined) {
      if (shiftKey && selection.isEnabled) selection.addRange(from, to, rows.rowAt);
      goTo(to);
      return true;
    }
    if (key !== "Escape" || selection.chosen.size === 0) return false;
    selection.replace([]);
    return true;
  };
  const handleKey = (event: KeyboardEvent) => {
    const { row } = (event.target as HTMLElement).dataset;
    // The user may press keys faster than rows are rendered: moves on from the row that is about to receive the focus.
    const from = pendingFocus.current ?? Number(row ?? active);
    if ((row !== undefined && runRowCommand(event, from)) || runTableCommand(event, from)) event.preventDefault();
  };
  return { active, handleKey };
}

function useLetterCommands(): Readonly<Record<string, ((pet: Pet) => void) | undefined>> {
  const { store, notify } = useTools();
  const canWrite = useHasScope("write");
  const reserve = useReserveAnimal();
  const complete = async ({ id, name }: Pet) => {
    const from = location.href;
    try {
      const { items } = await store.orders.list({ petId: id, status: "placed" }).page();
      const [order] = items;
      if (!order) return notify({ text: `${name} has no open order.` });
      // Does not open the dialog if the user has moved to another view: an Enter meant for that view would confirm the dialog.
      if (location.href !== from || document.querySelector("dialog[open]")) return;
      changeParameters({ order: String(order.id), end: "complete" });
    } catch (error) {
      notify({ text: `The order of ${name} could not be read. ${describeError(error)}` });
    }
  };
  const help = () => changeParameters({ help: "keys" });
  return canWrite ? { r: reserve, c: complete, "?": help } : { "?": help };
}

function useArrowDownIntoTable(body: RefObject<HTMLDivElement | null>): void {
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

function findTargetRow(key: string, from: number, rowCount: number): number | undefined {
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
