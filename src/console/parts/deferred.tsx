import { type ReactNode, useEffect, useState } from "react";

/**
 * Returns how many of `count` items to draw now. Items that come later are drawn in steps, so that the page stays
 * responsive; those that exist at first are drawn at once, so that the scroll position can be restored.
 */
export function useDrawnCount(count: number): number {
  const [due, setDue] = useState(count > 0 ? Number.POSITIVE_INFINITY : fewest);
  useEffect(() => {
    if (count === 0 || due === Number.POSITIVE_INFINITY) return;
    const step = Math.min(Math.max(fewest, Math.floor(due / 4)), most);
    const timer = setTimeout(() => setDue(due < count ? due + step : Number.POSITIVE_INFINITY));
    return () => clearTimeout(timer);
  }, [count, due]);
  return Math.min(due, count);
}

const fewest = 10;
const most = 60;

/** Draws its content in a task of its own, so that the page stays responsive. */
export function Deferred({ children }: { children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true));
    return () => clearTimeout(timer);
  }, []);
  return isDue ? children : null;
}

export function useDebounced<Value>(value: Value, settleMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), settleMs);
    return () => clearTimeout(timer);
  }, [value, settleMs]);
  return settled;
}
