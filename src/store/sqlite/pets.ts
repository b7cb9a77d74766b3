import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import { type IdentifiedChange, petCreated } from "../../domain/event.ts";
import { foldUnlessAscii } from "../../domain/folded-name.ts";
import type { NewPet, Pet } from "../../domain/pet.ts";
import type { IdRanges } from "../id-ranges.ts";
import { newPetTuple } from "../tables.ts";
import type { Log } from "./events.ts";
import { prepareInserts } from "./writer/inserts.ts";

export function preparePetWrites(database: Database) {
  const insert = database.prepare<{ id: number }, FlatPets>(
    `INSERT INTO pets (${insertedColumns}) VALUES (${insertedColumns.map(() => "?").join(", ")}) RETURNING id`,
  );
  const insertAll = prepareInserts(database, "pets", insertedColumns);

  return {
    createPet(pet: NewPet, log: Log): Pet {
      const row = insert.get(...valuesOf(pet));
      if (!row) throw new Error("An insert returned no id.");
      log([{ ...petCreated(pet), id: row.id }]);
      return { id: row.id, ...pet };
    },
    createPets(batch: FlatPets, log: Log): IdRanges {
      const count = petCountOf(batch);
      if (count === 0) return [];
      let lastId = 0;
      // A few at a time, so that memory holds few of the events at once.
      for (let from = 0; from < batch.length; from += atATime * fieldsOfPet) {
        const some = batch.slice(from, from + atATime * fieldsOfPet);
        lastId = insertAll(some);
        const changes: IdentifiedChange[] = [];
        let id = lastId - petCountOf(some);
        for (let at = 0; at < some.length; at += fieldsOfPet) {
          changes.push({ ...petCreated(newPetTuple.unpack(some, at)), id: ++id });
        }
        log(changes);
      }
      // Within a transaction, SQLite gives ids that follow each other.
      return [[lastId - count + 1, count]];
    },
  };
}

/** Returns the inserted values of all pets in one flat list, as they are sent to the writer thread. */
export function flattenPets(pets: readonly NewPet[]): FlatPets {
  return pets.flatMap(valuesOf);
}

function valuesOf(pet: NewPet): FlatPets {
  return [...newPetTuple.pack(pet), foldUnlessAscii(pet.name)];
}

export function petCountOf(pets: FlatPets): number {
  return pets.length / fieldsOfPet;
}

type FlatPets = (string | Int64 | null)[];

export const insertedColumns = [...newPetTuple.columns, "folded_name"];
const fieldsOfPet = insertedColumns.length;
const atATime = 256;
