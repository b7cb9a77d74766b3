import { useEffect } from "react";
import { isCommand } from "./shortcut.ts";
import { useWindowEvents } from "./window-events.ts";

const printWindow = () => print();
let currentPrinter = printWindow;

export function printPage(): void {
  currentPrinter();
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
    currentPrinter = printer;
    return () => {
      currentPrinter = printWindow;
    };
  }, [printer]);
}
