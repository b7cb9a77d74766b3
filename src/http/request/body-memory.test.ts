import { expect, test } from "bun:test";
import { BodyMemory } from "./body-memory.ts";

test("there is so much room for a key, so much for all, and again what was freed", () => {
  const room = new BodyMemory({ bytes: 100, bytesPerKey: 60 });
  const [one, other, configured] = [room.of(1), room.of(2), room.of("environment")];
  expect(one.reserve(40)).toBe(true);
  // Those of the same key share its room.
  expect(room.of(1).reserve(21)).toBe(false);
  expect(room.of(1).reserve(20)).toBe(true);
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
