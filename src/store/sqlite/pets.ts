import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import { petCreated } from "../../domain/event.ts";
import { foldUnlessAscii } from "../../domain/folded-name.ts";
import type { NewPet, Pet } from "../../domain/pet.ts";
import type { IdRanges } from "../id-ranges.ts";
import { newPetTuple } from "../tables.ts";
import type { Log } from "./events.ts";
import { prepareInserts } from "./writer/inserts.ts";

export function preparePetWrites(database: Database) {
  const insert = prepareInserts(database, "pets", insertedColumns);
  return {
    createPet(pet: NewPet, log: Log): Pet {
      const id = insert(flattenPets([pet]));
      log([{ ...petCreated(pet), id }]);
      return { id, ...pet };
    },
    createPets(batch: FlatPets, log: Log): IdRanges {
      const count = petCountOf(batch);
      if (count === 0) return [];
      let lastId = 0;
      // In steps, so that the events of only a few animals are in memory at once.
      for (let start = 0; start < batch.length; start += stepLength) {
        const values = batch.slice(start, start + stepLength);
        lastId = insert(values);
        const firstId = lastId - petCountOf(values) + 1;
        const pets = Array.from({ length: petCountOf(values) }, (_, index) =>
          newPetTuple.unpack(values, index * insertedColumns.length),
        );
        log(pets.map((pet, index) => ({ ...petCreated(pet), id: firstId + index })));
      }
      // Within a transaction, SQLite assigns consecutive ids.
      return [[lastId - count + 1, count]];
    },
  };
}

export function flattenPets(pets: readonly NewPet[]): FlatPets {
  return pets.flatMap((pet) => [...newPetTuple.pack(pet), foldUnlessAscii(pet.name)]);
}

export function petCountOf(pets: FlatPets): number {
  return pets.length / insertedColumns.length;
}

type FlatPets = (string | Int64 | null)[];

export const insertedColumns = [...newPetTuple.columns, "folded_name"];
const stepLength = 256 * insertedColumns.length;
