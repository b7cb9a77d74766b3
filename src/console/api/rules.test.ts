import { expect, test } from "bun:test";
import type { Complaint } from "../../operations/invalid-input.ts";
import { NewPet } from "../../operations/pets/schemas.ts";
import { Validator } from "../../validation/validator.ts";
import { findComplaint, parseInteger, rules } from "./rules.ts";

const validator = Validator.ofBody(NewPet);
const isValidOnServer = (pet: object): boolean => {
  const complaints: Complaint[] = [];
  validator.check({ ...pet }, complaints);
  return complaints.length === 0;
};
const names = ["", " ", "Rex", "\u0000", "a\u0085b", "🐕", "\ud800", " a ", "\u00a0", "x".repeat(255), "x".repeat(256)];
const invisibleNames = ["\u200b\u2060", "\u2800", "\ufe0f", "\u{e0041}\u{e007f}", "\u3164", "👩\u200d🚀", "\u200bRex"];

test.each([...names, ...invisibleNames, "🐕".repeat(255), "🐕".repeat(256)])(
  "the console and the server agree on whether the name %j is valid",
  (name) => {
    const isValid = isValidOnServer({ name, categoryId: 1 });
    expect(findComplaint(rules.pet["name"], name) === undefined).toBe(isValid);
  },
);

test.each([
  "",
  "x",
  "1.5",
  "1e3",
  "007",
  "0",
  "-1",
  "9223372036854775807",
  "9223372036854775808",
  "-9223372036854775809",
])("the console and the server agree on whether the category %j is valid", (text) => {
  const isValid = isValidOnServer({ name: "Rex", categoryId: parseInteger(text) ?? Number.NaN });
  expect(findComplaint(rules.pet["categoryId"], text) === undefined).toBe(isValid);
});

test.each([
  ["007", 7],
  ["+7", 7],
  [" -0 ", 0],
  ["-0012", -12],
  ["-9223372036854775808", -(2n ** 63n)],
  ["9223372036854775808", undefined],
  ["1.5", undefined],
  ["--1", undefined],
  ["", undefined],
] as const)("parseInteger parses %j as %p", (text, number) => {
  expect(parseInteger(text)).toBe(number);
});
