import type { Database } from "bun:sqlite";
import type { Int64 } from "../../../base/int64.ts";
import { type Origin, petCreated } from "../../../domain/event.ts";
import { foldUnlessAscii } from "../../../domain/folded-name.ts";
import type { NewPet, PetStatus } from "../../../domain/pet.ts";
import { addEvent, type EventValues, prepareAppend } from "../events.ts";
import { insertedColumns } from "../pets.ts";
import { insertsOf } from "./inserts.ts";

/**
 * Animals to be added one after the other, as one list of what there is to say of each: nothing costs less to send to
 * another thread, and they are inserted by few statements.
 */
export interface Additions {
  readonly additions: readonly AdditionField[];
}

export type AdditionField = string | Int64 | null;

/** What there is to say of an animal, and of who adds it. */
export function additionOf({ name, categoryId, status }: NewPet, { actor, request, at }: Origin): Addition {
  return [name, categoryId, status, actor.id, actor.name, request, at];
}

type Addition = [string, Int64, PetStatus, number | null, string, string | null, number];

/** So many animals were added, with consecutive ids. */
export interface Added {
  readonly firstId: number;
  readonly count: number;
}

/** Additions one by one; any other write as it is. */
export function separate<Write extends object>(write: Write | Additions): (Write | Additions)[] {
  if (!("additions" in write)) return [write];
  const all: Additions[] = [];
  for (let index = 0; index < write.additions.length; index += fields) {
    all.push({ additions: write.additions.slice(index, index + fields) });
  }
  return all;
}

/** Within a transaction, SQLite gives the rows of one statement ids that follow each other. */
export function prepareAdditions(database: Database): (additions: Additions) => Added {
  const insert = insertsOf(database, "pets", insertedColumns);
  const append = prepareAppend(database);
  return ({ additions }) => {
    const count = additions.length / fields;
    const pets: AdditionField[] = [];
    for (let at = 0; at < additions.length; at += fields) {
      pets.push(...additions.slice(at, at + 3), foldUnlessAscii(additions[at] as string));
    }
    const firstId = insert(pets) - count + 1;
    const events: EventValues = [];
    for (let index = 0; index < count; index++) {
      const [name, categoryId, status, actorId, actorName, request, at] = additions.slice(
        index * fields,
        (index + 1) * fields,
      ) as Addition;
      const origin = { actor: { id: actorId, name: actorName }, request, at };
      addEvent(events, petCreated({ name, categoryId, status }), firstId + index, origin);
    }
    append(events);
    return { firstId, count };
  };
}

/** That an addition has. */
const fields = 7;
