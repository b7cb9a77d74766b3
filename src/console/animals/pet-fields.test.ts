import { expect, test } from "bun:test";
import { changesOf, hasConflict, rebase, toDraft } from "./pet-fields.ts";

const rex = { id: 1, name: "Rex", categoryId: 7, status: "available" } as const;

test("only what is different is sent", () => {
  expect(changesOf(rex, toDraft(rex))).toEqual({});
  expect(changesOf(rex, { ...toDraft(rex), name: " Max " })).toEqual({ name: "Max" });
  expect(changesOf(rex, { ...toDraft(rex), categoryId: "007" })).toEqual({});
  expect(changesOf(rex, { ...toDraft(rex), categoryId: "9223372036854775807", status: "pending" })).toEqual({
    categoryId: 2n ** 63n - 1n,
    status: "pending",
  });
});

test("a name with spaces around it stays as it is unless it is changed", () => {
  const spaced = { ...rex, name: " Rex " };
  expect(changesOf(spaced, toDraft(spaced))).toEqual({});
});

test("on top of somebody else's change, only what was changed here is different", () => {
  const now = { ...rex, name: "Theirs", categoryId: 8 };
  const mine = { ...toDraft(rex), name: "Mine" };
  expect(rebase(mine, toDraft(rex), now)).toEqual({ name: "Mine", categoryId: "8", status: "available" });
  expect(changesOf(now, rebase(mine, toDraft(rex), now))).toEqual({ name: "Mine" });
});

test("a field is contested that was changed here and, to something else, by somebody else", () => {
  const mine = { ...toDraft(rex), name: "Mine" };
  expect(hasConflict(mine, toDraft(rex), { ...rex, name: "Theirs" })).toBe(true);
  for (const now of [rex, { ...rex, name: "Mine" }, { ...rex, categoryId: 8 }]) {
    expect(hasConflict(mine, toDraft(rex), now)).toBe(false);
  }
});
