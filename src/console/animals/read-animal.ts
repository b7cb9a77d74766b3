import type { AnimalStore, Int64, Pet } from "../../client/index.ts";
import { type Tagged, tagged } from "../api/store.ts";

/** An animal and its tag; null if there is none with that number. */
export async function readAnimal(store: AnimalStore, id: Int64): Promise<Tagged<Pet> | null> {
  const { value, etag } = await tagged(store.pets.find(id));
  return value ? { value, etag } : null;
}
