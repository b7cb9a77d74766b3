import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { projectFolder } from "../support/program.ts";
import { isForBothEngines, storeIndependentTests } from "./engines.ts";

test("API tests run on both engines, except those that do not depend on the store", () => {
  expect(isForBothEngines("test/http/list-pets.test.ts")).toBe(true);
  expect(isForBothEngines("src/base/csv.test.ts")).toBe(false);
  for (const file of storeIndependentTests) {
    expect([file, isForBothEngines(file)]).toEqual([file, false]);
    expect([file, existsSync(join(projectFolder, file))]).toEqual([file, true]);
    // Tests that fill, read or change the store run on both engines.
    expect([file, readFileSync(join(projectFolder, file), "utf8")]).toEqual([
      file,
      expect.not.stringMatching(/database\.|\bstore\.|addPets|status: "sold"/),
    ]);
  }
});
