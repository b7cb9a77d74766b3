import { outcomeOfOtherVersion } from "../domain/idempotency.ts";
import type { NewPet, Pet } from "../domain/pet.ts";

/** Ascending ids of animals that one request added. Outcomes store only the ids: a repeated request sends the other fields again. */
export type IdRanges = readonly (readonly [first: number, count: number])[];

export function toIdRanges(ids: readonly number[]): IdRanges {
  const ranges: [first: number, count: number][] = [];
  for (const id of ids) {
    const last = ranges.at(-1);
    if (last && id === last[0] + last[1]) last[1]++;
    else ranges.push([id, 1]);
  }
  return ranges;
}

/** Returns the animals with their ids. Throws UnprocessableContent if the ids were given to other animals. */
export function withIds(pets: readonly NewPet[], ranges: IdRanges): Pet[] {
  const ids = ranges.flatMap(([first, count]) => Array.from({ length: count }, (_, index) => first + index));
  // The ids may come from another version of the program, which accepted fewer or more animals of the request.
  if (ids.length !== pets.length) throw outcomeOfOtherVersion();
  return pets.map((pet, index) => ({ id: ids[index] as number, ...pet }));
}
