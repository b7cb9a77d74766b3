import type { Database } from "bun:sqlite";
import type { Int64 } from "../../../base/int64.ts";
import { petCreated } from "../../../domain/event.ts";
import type { NewPet, Pet } from "../../../domain/pet.ts";
import type { StoredOutcome } from "../../stored-outcome.ts";
import { newPetTuple } from "../../tables.ts";
import type { Failure } from "../errors.ts";
import { addEvent, type EventValues, prepareAppend } from "../events.ts";
import { flattenPets, insertedColumns } from "../pets.ts";
import { prepareInserts } from "./inserts.ts";
import type { Write } from "./writer-worker.ts";

/** New animals and the origins of their creation as one flat list: the cheapest to send to another thread, and inserted by few statements. */
export interface Additions {
  readonly additions: readonly (string | Int64 | null)[];
}

/** Consecutive ids of added animals. */
export interface Added {
  readonly firstId: number;
  readonly count: number;
}

/** Joins consecutive creations that have no idempotency record. */
export function pack(batch: readonly Write[]): (Write | Additions)[] {
  const packed: (Write | Additions)[] = [];
  let additions: (string | Int64 | null)[] | undefined;
  for (const write of batch) {
    if (write.name !== "createPet" || write.record) {
      packed.push(write);
      additions = undefined;
      continue;
    }
    if (!additions) {
      additions = [];
      packed.push({ additions });
    }
    const { actor, request, at } = write.origin;
    additions.push(...newPetTuple.pack(write.argument), actor.id, actor.name, request, at);
  }
  return packed;
}

/** Returns the outcome of each write of a packed batch. */
export function unpack(
  batch: readonly Write[],
  outcomes: readonly (StoredOutcome | Added | Failure)[],
): (StoredOutcome | Failure)[] {
  const unpacked: (StoredOutcome | Failure)[] = [];
  for (const outcome of outcomes) {
    if (!("firstId" in outcome)) {
      unpacked.push(outcome);
      continue;
    }
    for (let index = 0; index < outcome.count; index++) {
      const pet = (batch[unpacked.length] as Write).argument as NewPet;
      const result: Pet = { id: outcome.firstId + index, ...pet };
      unpacked.push({ result });
    }
  }
  return unpacked;
}

/** Splits additions into additions of one animal each. */
export function splitAdditions(write: Write | Additions): (Write | Additions)[] {
  if (!("additions" in write)) return [write];
  const { additions } = write;
  return Array.from({ length: additions.length / fieldCount }, (_, index) => ({
    additions: additions.slice(index * fieldCount, (index + 1) * fieldCount),
  }));
}

/** Within a transaction, the rows of one statement get consecutive ids. */
export function prepareAdditions(database: Database): (additions: Additions) => Added {
  const insert = prepareInserts(database, "pets", insertedColumns);
  const append = prepareAppend(database);
  return ({ additions }) => {
    const count = additions.length / fieldCount;
    const pets = Array.from({ length: count }, (_, index) => newPetTuple.unpack(additions, index * fieldCount));
    const firstId = insert(flattenPets(pets)) - count + 1;
    const events: EventValues = [];
    for (const [index, pet] of pets.entries()) {
      const start = index * fieldCount + petFieldCount;
      const [id, name, request, at] = additions.slice(start, start + originFieldCount) as FlatOrigin;
      addEvent(events, petCreated(pet), firstId + index, { actor: { id, name }, request, at });
    }
    append(events);
    return { firstId, count };
  };
}

type FlatOrigin = [actorId: number | null, actorName: string, request: string | null, at: number];

const petFieldCount = newPetTuple.columns.length;
const originFieldCount = 4;
const fieldCount = petFieldCount + originFieldCount;
