import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";

/**
 * Rereads queries. A query that changes while it is read is read to its end, and then once more: restarting it with
 * every change would starve it.
 */
export class Rereads {
  readonly #queries: QueryClient;
  /** Queries in flight; true if they have changed since. */
  readonly #underWay = new Map<string, boolean>();

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  async read(queryKey: QueryKey): Promise<void> {
    const name = hashKey(queryKey);
    if (this.#underWay.has(name)) {
      this.#underWay.set(name, true);
      return;
    }
    do {
      this.#underWay.set(name, false);
      await this.#queries.invalidateQueries({ queryKey });
    } while (this.#underWay.get(name));
    this.#underWay.delete(name);
  }
}
