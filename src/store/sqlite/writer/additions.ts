import type { Database } from "bun:sqlite";
import type { Int64 } from "../../../base/int64.ts";
import { type Origin, petCreated } from "../../../domain/event.ts";
import type { NewPet } from "../../../domain/pet.ts";
import { newPetTuple } from "../../tables.ts";
import { addEvent, type EventValues, prepareAppend } from "../events.ts";
import { flattenPets, insertedColumns } from "../pets.ts";
import { prepareInserts } from "./inserts.ts";

/** New animals and the origins of their creation as one flat list, which is cheap to send to another thread. */
export interface Additions {
  readonly additions: readonly (string | Int64 | null)[];
}

export function flattenCreation(pet: NewPet, { actor, request, at }: Origin): Additions["additions"] {
  return [...newPetTuple.pack(pet), actor.id, actor.name, request, at];
}

export function splitAdditions<Write extends object>(write: Write | Additions): (Write | Additions)[] {
  if (!("additions" in write)) return [write];
  const { additions } = write;
  return Array.from({ length: additions.length / fieldCount }, (_, index) => ({
    additions: additions.slice(index * fieldCount, (index + 1) * fieldCount),
  }));
}

/** Returns a function that adds animals and returns their ids. */
export function prepareAdditions(database: Database): (additions: Additions) => number[] {
  const insert = prepareInserts(database, "pets", insertedColumns);
  const append = prepareAppend(database);
  return ({ additions }) => {
    const count = additions.length / fieldCount;
    const pets = Array.from({ length: count }, (_, index) => newPetTuple.unpack(additions, index * fieldCount));
    // Within a transaction, SQLite assigns consecutive ids.
    const firstId = insert(flattenPets(pets)) - count + 1;
    const events: EventValues = [];
    for (const [index, pet] of pets.entries()) {
      const start = index * fieldCount + petFieldCount;
      const [id, name, request, at] = additions.slice(start, start + originFieldCount) as FlatOrigin;
      addEvent(events, petCreated(pet), firstId + index, { actor: { id, name }, request, at });
    }
    append(events);
    return pets.map((_, index) => firstId + index);
  };
}

type FlatOrigin = [actorId: number | null, actorName: string, request: string | null, at: number];

const petFieldCount = newPetTuple.columns.length;
const originFieldCount = 4;
const fieldCount = petFieldCount + originFieldCount;
