import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";

/**
 * Returns a function that refetches queries. A query that is invalidated while it is in flight completes, and is then fetched
 * once more: restarting the query with every change would starve it.
 */
export function createRefetch(queries: QueryClient): (queryKey: QueryKey) => Promise<void> {
  /** Queries in flight; true if the query was invalidated after it was started. */
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
