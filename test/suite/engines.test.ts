import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "../support/program.ts";
import { isForBothEngines, withoutStore } from "./engines.ts";

test("the tests of the interface run on both engines, but for those that have nothing to do with the store", () => {
  expect(isForBothEngines("test/http/list-pets.test.ts")).toBe(true);
  expect(isForBothEngines("src/base/csv.test.ts")).toBe(false);
  for (const file of withoutStore) {
    expect([file, isForBothEngines(file)]).toEqual([file, false]);
    expect([file, existsSync(join(projectFolder, file))]).toEqual([file, true]);
    // Whatever fills, reads or changes the store is for both.
    expect([file, readFileSync(join(projectFolder, file), "utf8")]).toEqual([
      file,
      expect.not.stringMatching(/database\.|\bstore\.|addPets|status: "sold"/),
    ]);
  }
});
