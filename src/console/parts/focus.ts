import { useEffect } from "react";

/** For the one that people want to type into first. */
export function focusFirst(element: HTMLElement | null): void {
  element?.focus();
}

/** After a form was refused, leads to the first field that is wrong, once that is marked. */
export function focusComplaint(form: HTMLFormElement): void {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
}

/** When what had the focus goes away, the dialog or the view that it was in gets it, so that the next press of a key starts there and not at the top. */
export function useFocusKept(): void {
  useEffect(() => {
    let last: Element | null = null;
    const remember = () => {
      last = document.activeElement;
    };
    const observer = new MutationObserver(() => {
      if (!last || last.isConnected || document.activeElement !== document.body) return;
      last = null;
      const place = [...document.querySelectorAll<HTMLElement>("main, dialog[open]")].at(-1);
      place?.focus({ preventScroll: true });
    });
    addEventListener("focusin", remember);
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      removeEventListener("focusin", remember);
      observer.disconnect();
    };
  }, []);
}
