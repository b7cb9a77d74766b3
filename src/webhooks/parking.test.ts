import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ParkedEvent } from "../domain/webhook.ts";
import { Parking } from "./parking.ts";

const position = fc.integer({ min: 1, max: 5 });
const time = fc.integer({ min: 0, max: 20 });
const step = fc.oneof(
  fc.record({ kind: fc.constant("park" as const), position, nextAt: time }),
  fc.record({ kind: fc.constant("remove" as const), position }),
  fc.record({ kind: fc.constant("look" as const), now: time }),
);

test("whenever it is asked, all are due whose time has come and who wait for no earlier one of their subject", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      const parking = new Parking([]);
      const model = new Map<number, ParkedEvent>();
      for (const one of steps) {
        if (one.kind === "park") {
          const parked = { position: one.position, subject: subjectOf(one.position), attempts: 1, nextAt: one.nextAt };
          parking.put(parked);
          model.set(one.position, parked);
        } else if (one.kind === "remove") {
          expect(parking.remove(one.position)).toBe(model.delete(one.position));
        } else {
          const all = [...model.values()].sort((first, second) => first.position - second.position);
          const firsts = all.filter((parked) => all.find(({ subject }) => subject === parked.subject) === parked);
          const due = parking.due(one.now).toSorted((first, second) => first.position - second.position);
          expect(due).toEqual(firsts.filter(({ nextAt }) => nextAt <= one.now));
        }
        expect(parking.size).toBe(model.size);
      }
    }),
    { numRuns: 500 },
  );
});

function subjectOf(place: number): string {
  return `pets/${place % 2}`;
}
