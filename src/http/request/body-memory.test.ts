import { expect, test } from "bun:test";
import { BodyMemory } from "./body-memory.ts";

test("there is so much room for a key, so much for all, and again what was freed", () => {
  const room = new BodyMemory({ bytes: 100, bytesPerKey: 60 });
  const [one, other, configured] = [room.of(1), room.of(2), room.of("environment")];
  expect(one.take(40)).toBe(true);
  // Those of the same key share its room.
  expect(room.of(1).take(21)).toBe(false);
  expect(room.of(1).take(20)).toBe(true);
  expect(one.take(1)).toBe(false);
  expect(other.take(41)).toBe(false);
  expect(other.take(30)).toBe(true);
  expect(configured.take(10)).toBe(true);
  expect(configured.take(1)).toBe(false);
  one.free(60);
  expect(other.take(31)).toBe(false);
  expect(other.take(30)).toBe(true);
  expect(one.take(30)).toBe(true);
});
