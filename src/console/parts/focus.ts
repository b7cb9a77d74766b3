import { useEffect } from "react";

/** For what people want to type into first, or have to read first. */
export function focusFirst(element: HTMLElement | null): void {
  element?.focus();
}

/** After a form was refused, leads to the first field that is wrong, once that is marked. */
export function focusComplaint(form: HTMLFormElement): void {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** After the answer to a question by which a row loses its buttons, leads to the next row that has one, or else to the heading. */
export function focusRowAfter(row: HTMLElement | null): void {
  // Only after the question is closed, which gives the focus back to the row, other places can have it.
  setTimeout(() => {
    // Who has gone elsewhere meanwhile stays there.
    if (!isFocusFree() && !row?.contains(document.activeElement)) return;
    let next = row?.nextElementSibling;
    while (next && !next.querySelector("button")) next = next.nextElementSibling;
    (next?.querySelector("button") ?? document.querySelector<HTMLElement>("main h1"))?.focus();
  });
}

/** Whether nothing has the focus for which a key would mean something. */
export function isFocusFree(): boolean {
  return document.activeElement?.matches("body, main, main h1") ?? true;
}

/**
 * When what had the focus goes away, the dialog or the view that it was in gets it, so that the next press of a key starts there
 * and not at the top. A button that cannot be pressed for a while loses it too, and gets it back.
 */
export function useFocusKept(): void {
  useEffect(() => {
    let last: HTMLElement | null = null;
    const remember = () => {
      last = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    };
    const observer = new MutationObserver((records) => {
      if (!last || document.activeElement !== document.body) return;
      const isOnAgain =
        last.matches(":enabled") && records.some(({ type, target }) => type === "attributes" && target === last);
      if (isOnAgain) last.focus({ preventScroll: true });
      if (last.isConnected) return;
      last = null;
      const place = [...document.querySelectorAll<HTMLElement>("main, dialog[open]")].at(-1);
      place?.focus({ preventScroll: true });
    });
    addEventListener("focusin", remember);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    return () => {
      removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, []);
}
