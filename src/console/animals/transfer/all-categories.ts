import type { AnimalStore, Category } from "../../../client/index.ts";
import { longestPage } from "../../api/store.ts";

/** Every category that has a name, also of those that are too many to be offered. */
export async function allCategories(store: AnimalStore, signal?: AbortSignal): Promise<readonly Category[]> {
  return await Array.fromAsync(store.categories.list({ limit: longestPage }, { signal }));
}
