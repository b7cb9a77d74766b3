import {
  type AnimalStore,
  type Category,
  type Int64,
  PreconditionFailedError,
} from "../../../packages/client/src/index.ts";
import { maxPageSize } from "../api/store.ts";
import { isSameName } from "./category-text.ts";

/** Returns the category that already has the name, or creates a category with a number that no category and no animal uses. */
export async function createCategory(store: AnimalStore, name: string) {
  let highestId = 0;
  for await (const category of store.categories.list({ limit: maxPageSize })) {
    if (isSameName(category.name, name)) return { category, isNew: false };
    if (typeof category.id === "number" && category.id > highestId) highestId = category.id;
  }
  for (let id = highestId + 1; ; id++) {
    const { items } = await store.pets.list({ categoryId: id, limit: 1 }).page();
    if (items.length > 0) continue;
    try {
      return await nameCategory(store, id, name);
    } catch (error) {
      // If another user has just used the number, tries the next one.
      if (!(error instanceof PreconditionFailedError)) throw error;
    }
  }
}

export async function nameCategory(store: AnimalStore, id: Int64, name: string) {
  try {
    return { category: await store.categories.put(id, { name }, { ifNoneMatch: "*" }), isNew: true };
  } catch (error) {
    if (!(error instanceof PreconditionFailedError)) throw error;
    // The client retries a request whose response was lost: if the first attempt named the category, the retry fails.
    const existing = await store.categories.get(id);
    if (!isSameName(existing.name, name)) throw error;
    return { category: existing, isNew: false };
  }
}

export async function readAllCategories(store: AnimalStore, signal?: AbortSignal): Promise<readonly Category[]> {
  return await Array.fromAsync(store.categories.list({ limit: maxPageSize }, { signal }));
}
