import { useQueryClient } from "@tanstack/react-query";
import { type RefObject, useEffect, useRef, useState } from "react";
import { names } from "../../api/queries.ts";
import { forgetChanges, useWaiting } from "../../live/waiting.ts";

/**
 * What others have added, deleted or moved. It is shown at once, unless somebody is at the table: then rows stay where they
 * are under the pointer, until the person asks for the news or goes away.
 */
export function useNewsOfOthers(place: RefObject<HTMLElement | null>): { readonly count: number; show(): void } {
  const queries = useQueryClient();
  const count = useWaiting();
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    const look = () => setBusy(isAtWork(place.current));
    const events = ["pointermove", "focusin", "focusout", "scroll"] as const;
    for (const event of events) addEventListener(event, look, { passive: true });
    look();
    return () => {
      for (const event of events) removeEventListener(event, look);
    };
  }, [place]);
  const show = () => {
    forgetChanges();
    queries.invalidateQueries({ queryKey: names.animals });
  };
  const latestShow = useRef(show);
  latestShow.current = show;
  useEffect(() => {
    if (count > 0 && !isBusy) latestShow.current();
  }, [count, isBusy]);
  return {
    count: isBusy ? count : 0,
    show() {
      show();
      scrollTo({ top: 0 });
    },
  };
}

/** The button that shows the news is within it, so that it does not vanish under the pointer on its way there. */
function isAtWork(place: HTMLElement | null): boolean {
  if (!place) return false;
  return scrollY > 0 || place.matches(":hover") || place.contains(document.activeElement);
}
