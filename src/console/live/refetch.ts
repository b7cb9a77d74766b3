import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";

/** Fetches a query that is invalidated in flight once more after it completes: restarting it with every change would starve it. */
export function createRefetch(queries: QueryClient): (queryKey: QueryKey) => Promise<void> {
  /** True if the query was invalidated in flight. */
  const inFlight = new Map<string, boolean>();
  return async (queryKey) => {
    const name = hashKey(queryKey);
    const isInFlight = inFlight.has(name);
    inFlight.set(name, isInFlight);
    if (isInFlight) return;
    do {
      inFlight.set(name, false);
      await queries.invalidateQueries({ queryKey });
    } while (inFlight.get(name));
    inFlight.delete(name);
  };
}
