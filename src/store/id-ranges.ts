import { storedByOtherVersion } from "../domain/idempotency.ts";
import type { NewPet, Pet } from "../domain/pet.ts";

/** Ascending ids of animals that were added together. A record stores no more, because a repeated request sends the rest again. */
export type IdRanges = readonly (readonly [first: number, count: number])[];

export function toIdRanges(ids: readonly number[]): IdRanges {
  const ranges: [first: number, count: number][] = [];
  let last: [first: number, count: number] | undefined;
  for (const id of ids) {
    if (last && id === last[0] + last[1]) last[1]++;
    else {
      last = [id, 1];
      ranges.push(last);
    }
  }
  return ranges;
}

/** Returns the animals with their ids. Throws UnprocessableContent if the ids were given to other animals. */
export function withIds(pets: readonly NewPet[], ranges: IdRanges): Pet[] {
  const added: Pet[] = [];
  for (const [first, count] of ranges) {
    for (let id = first; id < first + count; id++) {
      const pet = pets[added.length];
      if (!pet) throw storedByOtherVersion();
      added.push({ id, ...pet });
    }
  }
  // Another version of the program may have rejected other animals of the request.
  if (added.length !== pets.length) throw storedByOtherVersion();
  return added;
}
