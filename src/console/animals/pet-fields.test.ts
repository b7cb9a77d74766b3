import { expect, test } from "bun:test";
import { findChanges, hasConflict, rebase, toDraft } from "./pet-fields.ts";

const rex = { id: 1, name: "Rex", categoryId: 7, status: "available" } as const;

test("saving an edited animal sends only the changed fields", () => {
  expect(findChanges(rex, toDraft(rex))).toEqual({});
  expect(findChanges(rex, { ...toDraft(rex), name: " Max " })).toEqual({ name: "Max" });
  expect(findChanges(rex, { ...toDraft(rex), categoryId: "007" })).toEqual({});
  expect(findChanges(rex, { ...toDraft(rex), categoryId: "9223372036854775807", status: "pending" })).toEqual({
    categoryId: 2n ** 63n - 1n,
    status: "pending",
  });
});

test("saving an animal does not trim an unchanged name", () => {
  const paddedRex = { ...rex, name: " Rex " };
  expect(findChanges(paddedRex, toDraft(paddedRex))).toEqual({});
});

test("unsaved edits of an animal are applied on top of another user's change", () => {
  const now = { ...rex, name: "Theirs", categoryId: 8 };
  const mine = { ...toDraft(rex), name: "Mine" };
  expect(rebase(mine, toDraft(rex), now)).toEqual({ name: "Mine", categoryId: "8", status: "available" });
  expect(findChanges(now, rebase(mine, toDraft(rex), now))).toEqual({ name: "Mine" });
});

test("unsaved edits conflict with another user's change if both change the same field to different values", () => {
  const mine = { ...toDraft(rex), name: "Mine" };
  expect(hasConflict(mine, toDraft(rex), { ...rex, name: "Theirs" })).toBe(true);
  for (const now of [rex, { ...rex, name: "Mine" }, { ...rex, categoryId: 8 }]) {
    expect(hasConflict(mine, toDraft(rex), now)).toBe(false);
  }
});
