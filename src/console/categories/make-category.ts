import { type AnimalStore, type Category, PreconditionFailedError } from "../../client/index.ts";
import { longestPage } from "../api/store.ts";

/** Makes a category by its name alone: it gets a number that no category and no animal has yet. */
export async function makeCategory(store: AnimalStore, name: string): Promise<Category> {
  let last = 0;
  for await (const { id } of store.categories.list({ limit: longestPage })) {
    if (typeof id === "number" && id > last) last = id;
  }
  for (let id = last + 1; ; id++) {
    const { items } = await store.pets.list({ categoryId: id, limit: 1 }).page();
    if (items.length > 0) continue;
    try {
      return await store.categories.put(id, { name }, { ifNoneMatch: "*" });
    } catch (error) {
      // Somebody else has just taken the number.
      if (!(error instanceof PreconditionFailedError)) throw error;
    }
  }
}
