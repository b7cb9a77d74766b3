import { useEffect } from "react";
import { isCommand } from "./shortcut.ts";
import { useWindowEvents } from "./window-events.ts";

let current: (() => void) | undefined;

export function printPage(): void {
  if (current) current();
  else print();
}

/** Lets a view replace the printing of the page, including the browser's own shortcut. */
export function usePrinter(printer: () => void): void {
  useWindowEvents({
    keydown(event) {
      if (!isCommand(event, "p")) return;
      event.preventDefault();
      printer();
    },
  });
  useEffect(() => {
    current = printer;
    return () => {
      if (current === printer) current = undefined;
    };
  }, [printer]);
}
