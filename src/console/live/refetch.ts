import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";

/**
 * Returns a function that refetches queries. A query that changes while it is fetched is fetched to its end, and then once more:
 * restarting it with every change would starve it.
 */
export function createRefetch(queries: QueryClient): (queryKey: QueryKey) => Promise<void> {
  /** Queries in flight; true if they have changed since they were started. */
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
