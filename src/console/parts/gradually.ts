import { useEffect, useState } from "react";

/**
 * How many of `count` to draw now: few at first, and more in each turn, so that the page answers in between. The more there
 * are, the more come at once, since each turn lays out all of them.
 */
export function useGradually(count: number): number {
  const [due, setDue] = useState(atOnce);
  // There is always room for some that come in later, so that none has to go for a turn.
  const isMore = due < count + atOnce;
  useEffect(() => {
    if (!isMore) return;
    const timer = setTimeout(() => setDue(due + Math.max(atOnce, Math.floor(due / 4))));
    return () => clearTimeout(timer);
  }, [isMore, due]);
  return Math.min(due, count);
}

/** About as many as a telephone shows. */
const atOnce = 10;
