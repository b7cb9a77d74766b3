import { expect, test } from "bun:test";
import fc from "fast-check";
import type { ParkedEvent } from "../domain/webhook.ts";
import { ParkedEvents } from "./parked-events.ts";

const position = fc.integer({ min: 1, max: 5 });
const time = fc.integer({ min: 0, max: 20 });
const step = fc.oneof(
  fc.record({ kind: fc.constant("park" as const), position, nextAt: time }),
  fc.record({ kind: fc.constant("remove" as const), position }),
  fc.record({ kind: fc.constant("check" as const), now: time }),
);

test("the first parked event of each subject is due once its time has come", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 60 }), (steps) => {
      const parkedEvents = new ParkedEvents([]);
      const model = new Map<number, ParkedEvent>();
      for (const one of steps) {
        if (one.kind === "park") {
          const { position, nextAt } = one;
          const parked = { position, subject: `pets/${position % 2}`, attempts: 1, nextAt };
          parkedEvents.put(parked);
          model.set(position, parked);
        } else if (one.kind === "remove") {
          expect(parkedEvents.remove(one.position)).toBe(model.delete(one.position));
        } else {
          const all = [...model.values()].sort((first, second) => first.position - second.position);
          const heads = all.filter((parked) => all.find(({ subject }) => subject === parked.subject) === parked);
          const due = parkedEvents.findDue(one.now).toSorted((first, second) => first.position - second.position);
          expect(due).toEqual(heads.filter(({ nextAt }) => nextAt <= one.now));
        }
        expect(parkedEvents.size).toBe(model.size);
      }
    }),
    { numRuns: 500 },
  );
});
