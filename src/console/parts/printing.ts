import { useEffect } from "react";
import { isCommand } from "./shortcut.ts";

/** Prints what is shown, all of it: a view that shows only a part of something long says how. */
export function printPage(): void {
  (current ?? (() => print()))();
}

/** Lets a view decide how it is printed, also by the browser's own keys. */
export function usePrinter(printer: () => void): void {
  useEffect(() => {
    current = printer;
    const press = (event: KeyboardEvent) => {
      if (!isCommand(event, "p")) return;
      event.preventDefault();
      printer();
    };
    addEventListener("keydown", press);
    return () => {
      removeEventListener("keydown", press);
      if (current === printer) current = undefined;
    };
  }, [printer]);
}

let current: (() => void) | undefined;
