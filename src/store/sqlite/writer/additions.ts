import type { Database } from "bun:sqlite";
import type { Int64 } from "../../../base/int64.ts";
import { type Origin, petCreated } from "../../../domain/event.ts";
import type { NewPet } from "../../../domain/pet.ts";
import { newPetTuple } from "../../tables.ts";
import { addEvent, type EventValues, prepareAppend } from "../events.ts";
import { flattenPets, insertedColumns } from "../pets.ts";
import { prepareInserts } from "./inserts.ts";

/** Consecutive new animals as one flat list: it is the cheapest to send to another thread, and is inserted with few statements. */
export interface Additions {
  readonly additions: readonly AdditionField[];
}

export type AdditionField = string | Int64 | null;

/** Packs a new pet and the origin of its creation. */
export function additionOf(pet: NewPet, { actor, request, at }: Origin): AdditionField[] {
  return [...newPetTuple.pack(pet), actor.id, actor.name, request, at];
}

function originIn(additions: readonly AdditionField[], start: number): Origin {
  const [id, name, request, at] = additions.slice(start, start + originLength) as [
    number | null,
    string,
    string | null,
    number,
  ];
  return { actor: { id, name }, request, at };
}

/** Consecutive ids of added animals. */
export interface Added {
  readonly firstId: number;
  readonly count: number;
}

/** Splits additions into single ones. */
export function splitAdditions<Write extends object>(write: Write | Additions): (Write | Additions)[] {
  if (!("additions" in write)) return [write];
  const all: Additions[] = [];
  for (let index = 0; index < write.additions.length; index += fields) {
    all.push({ additions: write.additions.slice(index, index + fields) });
  }
  return all;
}

/** Within a transaction, the rows of one statement get consecutive ids. */
export function prepareAdditions(database: Database): (additions: Additions) => Added {
  const insert = prepareInserts(database, "pets", insertedColumns);
  const append = prepareAppend(database);
  return ({ additions }) => {
    const count = additions.length / fields;
    const starts = Array.from({ length: count }, (_, index) => index * fields);
    const pets = starts.map((start) => newPetTuple.unpack(additions, start));
    const firstId = insert(flattenPets(pets)) - count + 1;
    const events: EventValues = [];
    for (const [index, pet] of pets.entries()) {
      const origin = originIn(additions, index * fields + petLength);
      addEvent(events, petCreated(pet), firstId + index, origin);
    }
    append(events);
    return { firstId, count };
  };
}

const petLength = newPetTuple.columns.length;
const originLength = 4;
const fields = petLength + originLength;
