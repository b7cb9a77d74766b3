import { useEffect } from "react";

export function focusOnMount(element: HTMLElement | null): void {
  element?.focus();
}

export function focusFirstComplaint(form: HTMLFormElement): void {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** Focuses the first button below `row`, or else the heading. For actions that have removed the buttons of `row`. */
export function focusNextRow(row: HTMLElement | null): void {
  // Waits until the closing dialog has returned the focus to the row.
  setTimeout(() => {
    if (!isNothingFocused() && !row?.contains(document.activeElement)) return;
    let next = row?.nextElementSibling;
    while (next && !next.querySelector("button")) next = next.nextElementSibling;
    (next?.querySelector("button") ?? document.querySelector<HTMLElement>("main h1"))?.focus();
  });
}

export function isNothingFocused(): boolean {
  return document.activeElement?.matches("body, main, main h1") ?? true;
}

/** Recovers a lost focus: returns to a button that is enabled again, or focuses the dialog or view of a removed element. */
export function useFocusRecovery(): void {
  useEffect(() => {
    let lastFocused: HTMLElement | null = null;
    const remember = () => {
      lastFocused = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    };
    const observer = new MutationObserver((records) => {
      if (!lastFocused || document.activeElement !== document.body) return;
      const wasEnabled = records.some(({ type, target }) => type === "attributes" && target === lastFocused);
      if (wasEnabled && lastFocused.matches(":enabled")) lastFocused.focus({ preventScroll: true });
      if (lastFocused.isConnected) return;
      lastFocused = null;
      const surroundings = [...document.querySelectorAll<HTMLElement>("main, dialog[open]")].at(-1);
      surroundings?.focus({ preventScroll: true });
    });
    addEventListener("focusin", remember);
    observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ["disabled"] });
    return () => {
      removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, []);
}
