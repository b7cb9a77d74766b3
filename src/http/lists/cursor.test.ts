import { expect, test } from "bun:test";
import fc from "fast-check";
import { toInt64 } from "../../base/int64.ts";
import { decodeCursor, encodeCursor } from "./cursor.ts";

const position = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(toInt64);

test("a cursor gives back the position, to the list it was made for alone", () => {
  fc.assert(
    fc.property(position, fc.string(), fc.string(), (at, list, other) => {
      const cursor = encodeCursor(at, list);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]{14,27}$/);
      expect(decodeCursor(cursor, list)).toBe(at);
      if (other !== list) expect(decodeCursor(cursor, other)).toBeUndefined();
    }),
  );
});

test("no other token means the same", () => {
  fc.assert(
    fc.property(position, fc.nat(13), fc.constantFrom(..."ABCxyz019-_"), (at, index, character) => {
      const cursor = encodeCursor(at, "list");
      const changed = cursor.slice(0, index) + character + cursor.slice(index + 1);
      if (changed !== cursor) expect(decodeCursor(changed, "list")).toBeUndefined();
    }),
  );
});

test("a cursor stays good from one version of the program to the next", () => {
  expect(decodeCursor("g8mIIwS6UL7S116", "listPets")).toBe(42);
});
