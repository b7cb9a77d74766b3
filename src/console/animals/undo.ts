import type { AnimalStore, Pet } from "../../client/index.ts";
import { pick } from "../../domain/fields.ts";
import { type PetStatus, petTransitions } from "../../domain/pet.ts";
import { Complaint } from "../api/errors.ts";
import type { Submission } from "../api/submission.ts";
import { markAnimal } from "./marks.ts";
import { fieldNames } from "./pet-fields.ts";
import { readAnimal } from "./read-animal.ts";

/** What was done to an animal: what it was before, and what it has become; undefined if it was deleted. */
export interface Change {
  readonly before: Pet;
  readonly after: Pet | undefined;
}

/** How long something can be undone. */
export const undoMs = 60_000;

/**
 * Makes an animal what it was. Throws Complaint if somebody else has changed it since. Returns the animal. It can be tried again
 * with the same submission, also if an earlier try has arrived.
 */
export async function undo(store: AnimalStore, { before, after }: Change, submission: Submission): Promise<Pet> {
  const restored = after ? await restore(store, before, after) : await createAgain(store, before, submission);
  markAnimal(restored.id, "own");
  return restored;
}

/** A number is never given again, so that one that was deleted comes back with another. */
async function createAgain(store: AnimalStore, before: Pet, submission: Submission): Promise<Pet> {
  const pet = pick(before, fieldNames);
  try {
    return await store.pets.create(pet, submission.of(pet));
  } catch (error) {
    submission.settle(pet, error);
    throw error;
  }
}

async function restore(store: AnimalStore, before: Pet, after: Pet): Promise<Pet> {
  let now = await readAnimal(store, before.id);
  if (!now) throw new Complaint("Somebody else has deleted it since.");
  const way = wayBetween(after.status, before.status);
  const found = now.value;
  // As far as an earlier try has come.
  const done = way.findLastIndex((status) => isSame(found, { ...before, status }));
  if (done < 0 && !isSame(found, after)) throw new Complaint("Somebody else has changed it since.");
  for (const status of way.slice(done + 1)) {
    await store.pets.update(before.id, { ...pick(before, fieldNames), status }, { ifMatch: now?.etag });
    now = await readAnimal(store, before.id);
  }
  return now?.value ?? before;
}

function isSame(one: Pet, other: Pet): boolean {
  return fieldNames.every((field) => one[field] === other[field]);
}

/** The statuses that lead from one to the other; only the last one if they are the same. */
export function wayBetween(from: PetStatus, to: PetStatus): readonly PetStatus[] {
  if (from === to || petTransitions[from].includes(to)) return [to];
  const between = petTransitions[from].find((next) => petTransitions[next].includes(to));
  return between ? [between, to] : [to];
}
