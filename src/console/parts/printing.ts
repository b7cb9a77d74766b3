import { useEffect } from "react";
import { isCommand } from "./shortcut.ts";
import { useWindowEvents } from "./window-events.ts";

export function printPage(): void {
  (current ?? (() => print()))();
}

/** Lets a view decide how it is printed, also by the browser's own keys. */
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

let current: (() => void) | undefined;
