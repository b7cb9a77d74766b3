import type { Database } from "bun:sqlite";
import type { Int64 } from "../../base/int64.ts";
import { type ChangeOf, petCreated, petDeleted, petUpdated } from "../../domain/event.ts";
import { type Expectation, requireExpected } from "../../domain/expectation.ts";
import { foldUnlessAscii } from "../../domain/folded-name.ts";
import { changePet, type NewPet, noSuchPet, type Pet, type PetStatus, requireNoOpenOrder } from "../../domain/pet.ts";
import type { IdRanges } from "../id-ranges.ts";
import type { PetStore } from "../store.ts";
import type { Log } from "./events.ts";
import { PageReader } from "./pages.ts";
import { insertsOf } from "./writer/inserts.ts";

export function petReader(database: Database): PageReader<Pet> {
  return new PageReader<Pet>(database, "pets", "id, name, category_id AS categoryId, status", "categoryId");
}

export function preparePetWrites(database: Database) {
  const pets = petReader(database);
  const insert = database.prepare<{ id: number }, [string, Int64, PetStatus, string | null]>(
    `INSERT INTO pets (${insertedColumns}) VALUES (?, ?, ?, ?) RETURNING id`,
  );
  const insertAll = insertsOf(database, "pets", insertedColumns);
  const update = database.prepare(
    "UPDATE pets SET name = ?2, category_id = ?3, status = ?4, folded_name = ?5 WHERE id = ?1",
  );
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
    createPet({ name, categoryId, status }: NewPet, log: Log): Pet {
      const row = insert.get(name, categoryId, status, foldUnlessAscii(name));
      if (!row) throw new Error("An insert returned no id.");
      log([{ ...petCreated({ name, categoryId, status }), id: row.id }]);
      return { id: row.id, name, categoryId, status };
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
          const [name, categoryId, status] = some.slice(at, at + fieldsOfPet) as [string, Int64, PetStatus];
          changes.push({ ...petCreated({ name, categoryId, status }), id: ++id });
        }
        log(changes);
      }
      // Within a transaction, SQLite gives ids that follow each other.
      return [[lastId - count + 1, count]];
    },
    updatePet([id, changes, expected]: Parameters<PetStore["update"]>, log: Log): Pet {
      const pet = find(id, expected);
      const changed = changePet(pet, changes, openOrder.get(pet.id)?.id);
      update.run(changed.id, changed.name, changed.categoryId, changed.status, foldUnlessAscii(changed.name));
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

/** Animals as one list of what there is to say of each: nothing costs less to send to another thread. */
export function flatten(pets: readonly NewPet[]): FlatPets {
  const flat: (string | Int64 | null)[] = [];
  for (const { name, categoryId, status } of pets) flat.push(name, categoryId, status, foldUnlessAscii(name));
  return flat;
}

export function countOf(pets: FlatPets): number {
  return pets.length / fieldsOfPet;
}

type FlatPets = readonly (string | Int64 | null)[];

/** What is inserted of an animal, which is also what a flattened one has. */
export const insertedColumns = ["name", "category_id", "status", "folded_name"];
const fieldsOfPet = insertedColumns.length;
const atATime = 256;
