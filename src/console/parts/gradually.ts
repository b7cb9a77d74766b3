import { useEffect, useState } from "react";

/**
 * How many of `count` to draw now. What a view has to wait for is drawn some in each turn, so that the page answers in between;
 * what is there when it opens at once, so that the page can be scrolled to where it was. Nothing that was drawn has to go again
 * for what comes in later: that is drawn at once, too.
 */
export function useGradually(count: number): number {
  const [due, setDue] = useState(count > 0 ? Number.POSITIVE_INFINITY : fewest);
  useEffect(() => {
    if (count === 0 || due === Number.POSITIVE_INFINITY) return;
    // The more there are, the more come at once, since each turn lays out all of them.
    const step = Math.min(Math.max(fewest, Math.floor(due / 4)), most);
    const timer = setTimeout(() => setDue(due < count ? due + step : Number.POSITIVE_INFINITY));
    return () => clearTimeout(timer);
  }, [count, due]);
  return Math.min(due, count);
}

/** About as many as a telephone shows. */
const fewest = 10;
const most = 60;
