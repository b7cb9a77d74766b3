import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import { type ChangeOf, petCreated, petDeleted, petUpdated } from "../../domain/event.ts";
import { type Expectation, requireExpected } from "../../domain/expectation.ts";
import { foldUnlessAscii } from "../../domain/folded-name.ts";
import { changePet, type NewPet, noSuchPet, type Pet, requireNoOpenOrder } from "../../domain/pet.ts";
import type { IdRanges } from "../id-ranges.ts";
import { assignments } from "../resource-table.ts";
import type { PetStore } from "../store.ts";
import { newPetTuple, petTable } from "../tables.ts";
import type { Log } from "./events.ts";
import { PageReader } from "./pages.ts";
import { insertsOf } from "./writer/inserts.ts";

export function petReader(database: Database): PageReader<Pet> {
  return new PageReader<Pet>(database, petTable);
}

export function preparePetWrites(database: Database) {
  const pets = petReader(database);
  const insert = database.prepare<{ id: number }, FlatPets>(
    `INSERT INTO pets (${insertedColumns}) VALUES (${insertedColumns.map(() => "?").join(", ")}) RETURNING id`,
  );
  const insertAll = insertsOf(database, "pets", insertedColumns);
  const update = database.prepare(`UPDATE pets SET ${assignments(insertedColumns, "?", 2)} WHERE id = ?1`);
  const remove = database.prepare("DELETE FROM pets WHERE id = ?");
  const openOrder = database.prepare<{ id: number }, [number]>(
    "SELECT id FROM orders INDEXED BY open_orders WHERE pet_id = ? AND status = 'placed'",
  );

  const find = (id: Int64, expected: Expectation<Pet>): Pet => {
    const pet = pets.get(id);
    if (!pet) throw noSuchPet(id);
    requireExpected(pet, expected);
    return pet;
  };

  return {
    createPet(pet: NewPet, log: Log): Pet {
      const row = insert.get(...valuesOf(pet));
      if (!row) throw new Error("An insert returned no id.");
      log([{ ...petCreated(pet), id: row.id }]);
      return { id: row.id, ...pet };
    },
    createPets(batch: FlatPets, log: Log): IdRanges {
      const count = countOf(batch);
      if (count === 0) return [];
      let lastId = 0;
      // A few at a time, so that memory holds few of the events at once.
      for (let from = 0; from < batch.length; from += atATime * fieldsOfPet) {
        const some = batch.slice(from, from + atATime * fieldsOfPet);
        lastId = insertAll(some);
        const changes: ChangeOf[] = [];
        let id = lastId - countOf(some);
        for (let at = 0; at < some.length; at += fieldsOfPet) {
          changes.push({ ...petCreated(newPetTuple.unpack(some, at)), id: ++id });
        }
        log(changes);
      }
      // Within a transaction, SQLite gives ids that follow each other.
      return [[lastId - count + 1, count]];
    },
    updatePet([id, changes, expected]: Parameters<PetStore["update"]>, log: Log): Pet {
      const pet = find(id, expected);
      const changed = changePet(pet, changes, openOrder.get(pet.id)?.id);
      update.run(changed.id, ...valuesOf(changed));
      log(petUpdated(pet, changed));
      return changed;
    },
    deletePet([id, expected]: Parameters<PetStore["delete"]>, log: Log): void {
      const pet = find(id, expected);
      requireNoOpenOrder(pet.id, openOrder.get(pet.id)?.id);
      remove.run(pet.id);
      log(petDeleted(pet));
    },
  };
}

/** Returns the inserted values of all pets in one flat list, as they are sent to the writer thread. */
export function flatten(pets: readonly NewPet[]): FlatPets {
  return pets.flatMap(valuesOf);
}

function valuesOf(pet: NewPet): FlatPets {
  return [...newPetTuple.pack(pet), foldUnlessAscii(pet.name)];
}

export function countOf(pets: FlatPets): number {
  return pets.length / fieldsOfPet;
}

type FlatPets = (string | Int64 | null)[];

/** The columns of the insert, in the order in which a pet is packed. */
export const insertedColumns = [...newPetTuple.columns, "folded_name"];
const fieldsOfPet = insertedColumns.length;
const atATime = 256;
