import { expect, test } from "bun:test";
import { BodyMemory } from "./body-memory.ts";

test("large bodies share a limit per key family and a total limit, and release their memory", () => {
  const memory = new BodyMemory({ maxBytes: 100, maxBytesPerFamily: 60 });
  const [one, other, configured] = [memory.budgetFor(1), memory.budgetFor(2), memory.budgetFor("environment")];
  expect(one.reserve(40)).toBe(true);
  // Bodies of the same key family share the limit of the family.
  expect(memory.budgetFor(1).reserve(21)).toBe(false);
  expect(memory.budgetFor(1).reserve(20)).toBe(true);
  expect(one.reserve(1)).toBe(false);
  expect(other.reserve(41)).toBe(false);
  expect(other.reserve(30)).toBe(true);
  expect(configured.reserve(10)).toBe(true);
  expect(configured.reserve(1)).toBe(false);
  one.release(60);
  expect(other.reserve(31)).toBe(false);
  expect(other.reserve(30)).toBe(true);
  expect(one.reserve(30)).toBe(true);
});
