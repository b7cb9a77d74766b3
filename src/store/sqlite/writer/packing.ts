import type { NewPet, Pet } from "../../../domain/pet.ts";
import type { StoredOutcome } from "../../stored-outcome.ts";
import type { Failure } from "../errors.ts";
import { type Added, type AdditionField, type Additions, additionOf } from "./additions.ts";
import type { Write } from "./writer-worker.ts";

/** Joins consecutive creations without an idempotency key. */
export function pack(batch: readonly Write[]): (Write | Additions)[] {
  const packed: (Write | Additions)[] = [];
  let additions: AdditionField[] | undefined;
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
    additions.push(...additionOf(write.argument, write.origin));
  }
  return packed;
}

/** Returns the outcome of each write of a packed batch. */
export function unpack(
  batch: readonly Write[],
  answers: readonly (StoredOutcome | Added | Failure)[],
): (StoredOutcome | Failure)[] {
  const unpacked: (StoredOutcome | Failure)[] = [];
  for (const answer of answers) {
    if (!("firstId" in answer)) {
      unpacked.push(answer);
      continue;
    }
    for (let index = 0; index < answer.count; index++) {
      const pet = (batch[unpacked.length] as Write).argument as NewPet;
      const result: Pet = { id: answer.firstId + index, ...pet };
      unpacked.push({ result });
    }
  }
  return unpacked;
}
