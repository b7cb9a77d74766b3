import { hashKey, type QueryClient, type QueryKey } from "@tanstack/react-query";

/**
 * Reads again what has changed. What is being read is read to its end, and once more if it has changed meanwhile: to begin anew with
 * every change would never come to an end where much happens.
 */
export class Rereads {
  readonly #queries: QueryClient;
  /** What is being read, and whether it has changed since. */
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
