import { useEffect } from "react";

export function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}

/** Focuses the first invalid field, once it is marked. */
export function focusFirstComplaint(form: HTMLFormElement): void {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** Focuses the next row with a button, or the heading, after an action took the buttons of a row. */
export function focusNextRow(row: HTMLElement | null): void {
  // The question returns the focus to the row when it closes.
  setTimeout(() => {
    // The user may have moved on.
    if (!isNothingFocused() && !row?.contains(document.activeElement)) return;
    let next = row?.nextElementSibling;
    while (next && !next.querySelector("button")) next = next.nextElementSibling;
    (next?.querySelector("button") ?? document.querySelector<HTMLElement>("main h1"))?.focus();
  });
}

/** Returns true if no control has the focus. */
export function isNothingFocused(): boolean {
  return document.activeElement?.matches("body, main, main h1") ?? true;
}

/**
 * When the focused element is removed, focuses the dialog or view around it, so that the next key starts there. A
 * button that was disabled for a while gets the focus back.
 */
export function useFocusRecovery(): void {
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
