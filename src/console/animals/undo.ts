import type { AnimalStore, Pet } from "../../client/index.ts";
import { type PetStatus, petTransitions } from "../../domain/pet.ts";
import { Complaint } from "../api/errors.ts";
import { markAnimal } from "./marks.ts";
import { readAnimal } from "./read-animal.ts";

/** What was done to an animal: what it was before, and what it has become; undefined if it was deleted. */
export interface Change {
  readonly before: Pet;
  readonly after: Pet | undefined;
}

/** How long something can be undone. */
export const undoMs = 60_000;

/** Makes an animal what it was. Throws Complaint if somebody else has changed it since. Returns the animal. */
export async function undo(store: AnimalStore, { before, after }: Change): Promise<Pet> {
  const { name, categoryId, status } = before;
  // A number is never given again, so that one that was deleted comes back with another.
  const restored = after ? await restore(store, before, after) : await store.pets.create({ name, categoryId, status });
  markAnimal(restored.id, "own");
  return restored;
}

async function restore(store: AnimalStore, before: Pet, after: Pet): Promise<Pet> {
  let now = await readAnimal(store, before.id);
  if (!now) throw new Complaint("Somebody else has deleted it since.");
  if (fields.some((field) => now?.value[field] !== after[field])) {
    throw new Complaint("Somebody else has changed it since.");
  }
  const { name, categoryId } = before;
  for (const [turn, status] of wayBetween(after.status, before.status).entries()) {
    await store.pets.update(before.id, turn === 0 ? { name, categoryId, status } : { status }, { ifMatch: now?.etag });
    now = await readAnimal(store, before.id);
  }
  return now?.value ?? before;
}

const fields = ["name", "categoryId", "status"] as const;

/** The statuses that lead from one to the other; only the last one if they are the same. */
export function wayBetween(from: PetStatus, to: PetStatus): readonly PetStatus[] {
  if (from === to || petTransitions[from].includes(to)) return [to];
  const between = petTransitions[from].find((next) => petTransitions[next].includes(to));
  return between ? [between, to] : [to];
}
