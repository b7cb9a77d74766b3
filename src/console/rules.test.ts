import { expect, test } from "bun:test";
import { Validator } from "../http/validation.ts";
import { NewPet } from "../operations/pets/schemas.ts";
import { complaintAbout, integerIn, rules } from "./rules.ts";

const server = Validator.ofBody(NewPet);

test.each([
  "",
  " ",
  "Rex",
  "\u0000",
  "a\u0085b",
  "🐕",
  "🐕".repeat(255),
  "🐕".repeat(256),
  "x".repeat(256),
  "\ud800",
  " a ",
  "\u00a0",
])("a name is right or wrong to the page as it is to the server: %j", (name) => {
  const [complaint] = server.check({ name, categoryId: 1 });
  expect(complaintAbout("name", rules.pet["name"], name)).toBe(complaint?.message);
});

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
])("a category is right or wrong to the page as it is to the server: %j", (text) => {
  const [complaint] = server.check({ name: "Rex", categoryId: integerIn(text) ?? Number.NaN });
  expect(complaintAbout("categoryId", rules.pet["categoryId"], text)).toBe(complaint?.message);
});
