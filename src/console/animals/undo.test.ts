import { expect, test } from "bun:test";
import { petStatuses, petTransitions } from "../../domain/pet.ts";
import { wayBetween } from "./undo.ts";

test("there is a way back from every change of the status, by steps that the store allows", () => {
  for (const from of petStatuses) {
    for (const to of petTransitions[from]) {
      let at = to;
      for (const next of wayBetween(to, from)) {
        expect(petTransitions[at]).toContain(next);
        at = next;
      }
      expect(at).toBe(from);
    }
  }
  expect(wayBetween("sold", "pending")).toEqual(["available", "pending"]);
  expect(wayBetween("sold", "sold")).toEqual(["sold"]);
});
