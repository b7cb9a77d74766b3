import { type AnimalStore, type Category, type Int64, PreconditionFailedError } from "../../client/index.ts";
import { longestPage } from "../api/store.ts";
import { sameName } from "./category-text.ts";

/**
 * Makes a category by its name alone: it gets a number that no category and no animal has yet. If one is called so already,
 * made by somebody else or by an earlier try whose response was lost, it is that one.
 */
export async function makeCategory(store: AnimalStore, name: string): Promise<Naming> {
  let last = 0;
  for await (const category of store.categories.list({ limit: longestPage })) {
    if (sameName(category.name, name)) return { category, isNew: false };
    if (typeof category.id === "number" && category.id > last) last = category.id;
  }
  for (let id = last + 1; ; id++) {
    const { items } = await store.pets.list({ categoryId: id, limit: 1 }).page();
    if (items.length > 0) continue;
    try {
      return await nameCategory(store, id, name);
    } catch (error) {
      // Somebody else has just taken the number.
      if (!(error instanceof PreconditionFailedError)) throw error;
    }
  }
}

/** Names the category of a number. Throws PreconditionFailedError if it is called otherwise already. */
export async function nameCategory(store: AnimalStore, id: Int64, name: string): Promise<Naming> {
  try {
    return { category: await store.categories.put(id, { name }, { ifNoneMatch: "*" }), isNew: true };
  } catch (error) {
    if (!(error instanceof PreconditionFailedError)) throw error;
    // The client sends it again when the response was lost, and is then refused because of itself.
    const there = await store.categories.get(id);
    if (!sameName(there.name, name)) throw error;
    return { category: there, isNew: false };
  }
}

interface Naming {
  readonly category: Category;
  /** Whether it was called otherwise, or nothing, before. */
  readonly isNew: boolean;
}

/** Reads all named categories, even if they are too many to be offered in a field. */
export async function allCategories(store: AnimalStore, signal?: AbortSignal): Promise<readonly Category[]> {
  return await Array.fromAsync(store.categories.list({ limit: longestPage }, { signal }));
}
