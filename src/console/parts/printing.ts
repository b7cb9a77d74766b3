import { useEffect } from "react";
import { isCommand } from "./shortcut.ts";
import { useWindowEvents } from "./window-events.ts";

const printWindow = () => print();
let current = printWindow;

export function printPage(): void {
  current();
}

/** Lets a view print its own content instead of the page, also when the user presses the browser's shortcut. */
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
      current = printWindow;
    };
  }, [printer]);
}
