import { type ReactNode, useEffect, useState } from "react";

/**
 * Returns how many of `count` items to draw now. Items that are loaded later are drawn in steps, so that the page stays responsive.
 * Items that are present on the first rendering are drawn at once, so that the scroll position can be restored.
 */
export function useDrawnCount(count: number): number {
  const [limit, setLimit] = useState(count > 0 ? Number.POSITIVE_INFINITY : minStep);
  useEffect(() => {
    if (count === 0 || limit === Number.POSITIVE_INFINITY) return;
    const step = Math.min(Math.max(minStep, Math.floor(limit / 4)), maxStep);
    const timer = setTimeout(() => setLimit(limit < count ? limit + step : Number.POSITIVE_INFINITY));
    return () => clearTimeout(timer);
  }, [count, limit]);
  return Math.min(limit, count);
}

const minStep = 10;
const maxStep = 60;

/** Draws its content in a separate task, so that the page stays responsive. */
export function Deferred({ children }: { children: ReactNode }) {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true));
    return () => clearTimeout(timer);
  }, []);
  return isDue ? children : null;
}

/** Returns the latest value that has not changed for `quietMs`. */
export function useDebounced<Value>(value: Value, quietMs: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), quietMs);
    return () => clearTimeout(timer);
  }, [value, quietMs]);
  return settled;
}
