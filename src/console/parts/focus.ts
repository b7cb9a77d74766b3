import { useEffect } from "react";

/** For what people want to type into first, or have to read first. */
export function focusFirst(element: HTMLElement | null): void {
  element?.focus();
}

/** After a form was refused, leads to the first field that is wrong, once that is marked. */
export function focusComplaint(form: HTMLFormElement): void {
  setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
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
