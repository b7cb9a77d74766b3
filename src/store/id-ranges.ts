import { claimedByOtherVersion } from "../domain/claim.ts";
import type { NewPet, Pet } from "../domain/pet.ts";

/**
 * The ids that animals added together got, ascending: ranges, each with its first id and how many follow each other. It is all
 * that a claim keeps of them, because whoever repeats the request sends the rest again.
 */
export type IdRanges = readonly (readonly [first: number, count: number])[];

export function rangesOf(ids: readonly number[]): IdRanges {
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

/** The animals with their ids. Throws UnprocessableContent if there were others when the ids were given. */
export function withIds(pets: readonly NewPet[], ranges: IdRanges): Pet[] {
  const added: Pet[] = [];
  for (const [first, count] of ranges) {
    for (let id = first; id < first + count; id++) {
      const pet = pets[added.length];
      if (!pet) throw claimedByOtherVersion();
      added.push({ id, ...pet });
    }
  }
  // What is taken for wrong may be another in another version of the program.
  if (added.length !== pets.length) throw claimedByOtherVersion();
  return added;
}
