import type { QueryClient } from "@tanstack/react-query";
import type { AnimalStore, Int64, Pet } from "../../../packages/client/src/index.ts";
import { pick } from "../../domain/fields.ts";
import { type PetStatus, petTransitions } from "../../domain/pet.ts";
import { IdempotencyKeys, isTransient } from "../api/action.ts";
import { invalidateAnimals, useTools } from "../api/queries.ts";
import { fetchWithEtag, type WithEtag } from "../api/store.ts";
import { Complaint, describeError } from "../parts/errors.ts";
import { formatCount, pluralize } from "../parts/format-count.ts";
import type { Notice, Undo } from "../parts/toast.tsx";
import { markAnimal } from "./marks.ts";
import { fieldNames } from "./pet-fields.ts";

/** A change of an animal; `after` is undefined if the animal was deleted. */
export interface PetChange {
  readonly before: Pet;
  readonly after: Pet | undefined;
}

export function useNotifyOfChanges(): (text: string, changes: readonly PetChange[]) => void {
  const { notify, queries } = useTools();
  return (text, changes) => notify(offerUndo(queries, text, changes, new IdempotencyKeys()));
}

/** Returns a notice that offers to undo changes. If some of the undos fail temporarily, the next notice offers to retry these undos. */
function offerUndo(queries: QueryClient, text: string, changes: readonly PetChange[], keys: IdempotencyKeys): Notice {
  if (changes.length === 0) return { text };
  const run: Undo["run"] = async (store, notify) => {
    const restored: Pet[] = [];
    const failures: { readonly change: PetChange; readonly error: unknown }[] = [];
    await forEachConcurrently(changes, async (change) => {
      try {
        restored.push(await undo(store, change, keys));
      } catch (error) {
        failures.push({ change, error });
      }
    });
    const errors = failures.map(({ error }) => error);
    const remaining = failures.filter(({ error }) => isTransient(error)).map(({ change }) => change);
    notify(offerUndo(queries, describeResult(changes, restored, errors), remaining, keys));
    await invalidateAnimals(queries);
  };
  return { text, undo: { run, offeredMs: 60_000 } };
}

function describeResult(changes: readonly PetChange[], restored: readonly Pet[], errors: readonly unknown[]): string {
  const isNew = changes.every(({ after }) => !after);
  if (changes.length > 1) {
    const restoredText = pluralize(restored.length, "animal was restored", "animals were restored");
    const failedText = errors.length > 0 ? `; ${formatCount(errors.length)} could not be restored` : "";
    return `${restoredText}${isNew ? " with new numbers" : ""}${failedText}.`;
  }
  const name = changes[0]?.before.name;
  if (errors.length > 0) return `${name} could not be restored. ${describeError(errors[0])}`;
  return isNew ? `${name} is back, as animal ${restored[0]?.id}: numbers are never reused.` : `${name} was restored.`;
}

/** Undoes a change. Throws Complaint if another user has changed the animal since. A retry has no second effect. */
async function undo(store: AnimalStore, { before, after }: PetChange, keys: IdempotencyKeys): Promise<Pet> {
  const pet = pick(before, fieldNames);
  const restored = after
    ? await restore(store, before, after)
    : await store.pets.create(pet, keys.createOptions([before.id, pet]));
  markAnimal(restored.id, "own");
  return restored;
}

async function restore(store: AnimalStore, before: Pet, after: Pet): Promise<Pet> {
  let now = await readAnimal(store, before.id);
  if (!now) throw new Complaint("Somebody else has deleted it since.");
  const path = findStatusPath(after.status, before.status);
  const current = now.value;
  // An earlier attempt may have completed some of the status changes.
  const lastDone = path.findLastIndex((status) => isSame(current, { ...before, status }));
  if (lastDone < 0 && !isSame(current, after)) throw new Complaint("Somebody else has changed it since.");
  for (const status of path.slice(lastDone + 1)) {
    await store.pets.update(before.id, { ...pick(before, fieldNames), status }, { ifMatch: now?.etag });
    now = await readAnimal(store, before.id);
  }
  return now?.value ?? before;
}

function isSame(one: Pet, other: Pet): boolean {
  return fieldNames.every((field) => one[field] === other[field]);
}

/** Returns the statuses to set, one after the other, to change an animal from one status to another. */
export function findStatusPath(from: PetStatus, to: PetStatus): readonly PetStatus[] {
  if (from === to || petTransitions[from].includes(to)) return [to];
  const between = petTransitions[from].find((next) => petTransitions[next].includes(to));
  return between ? [between, to] : [to];
}

export async function readAnimal(store: AnimalStore, id: Int64): Promise<WithEtag<Pet> | null> {
  const { value, etag } = await fetchWithEtag(store.pets.find(id));
  return value ? { value, etag } : null;
}

/** Calls `step` for each item, with at most six calls in flight. Starts no further call once `shouldContinue` returns false. */
export async function forEachConcurrently<Item>(
  items: readonly Item[],
  step: (item: Item) => Promise<void>,
  shouldContinue: () => boolean = () => true,
): Promise<void> {
  const queue = items.values();
  const work = async () => {
    for (const item of queue) {
      if (!shouldContinue()) return;
      await step(item);
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
}
