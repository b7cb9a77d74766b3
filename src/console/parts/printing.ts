import { useEffect } from "react";
import { isCommand } from "./shortcut.ts";
import { useWindowEvents } from "./window-events.ts";

let current: (() => void) | undefined;

export function printPage(): void {
  if (current) current();
  else print();
}

/** Lets a view decide how it is printed, also by the browser's own shortcut. */
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
