import { expect, test } from "bun:test";
import { petStatuses, petTransitions } from "../../domain/pet.ts";
import { findStatusPath } from "./undo.ts";

test("every change of an animal's status can be undone by status changes that the store allows", () => {
  for (const from of petStatuses) {
    for (const to of petTransitions[from]) {
      let at = to;
      for (const next of findStatusPath(to, from)) {
        expect(petTransitions[at]).toContain(next);
        at = next;
      }
      expect(at).toBe(from);
    }
  }
  expect(findStatusPath("sold", "pending")).toEqual(["available", "pending"]);
  expect(findStatusPath("sold", "sold")).toEqual(["sold"]);
});
