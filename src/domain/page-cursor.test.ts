import { expect, test } from "bun:test";
import fc from "fast-check";
import { toInt64 } from "../base/int64.ts";
import { decodeCursor, encodeCursor } from "./page-cursor.ts";

const after = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(toInt64);
const name = fc.string({ unit: "binary", maxLength: 255 }).filter((text) => text.isWellFormed());
const start = fc.record({ after, afterName: fc.option(name, { nil: undefined }) });

test("a cursor can be decoded only for its own list, and yields the encoded start", () => {
  fc.assert(
    fc.property(start, fc.string(), fc.string(), (at, list, other) => {
      const cursor = encodeCursor(at, list);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]{14,27}(\.[A-Za-z0-9_-]*)?$/);
      expect(decodeCursor(cursor, list)).toEqual(at);
      if (other !== list) expect(decodeCursor(cursor, other)).toBeUndefined();
    }),
  );
});

test("a cursor with a changed character is invalid", () => {
  fc.assert(
    fc.property(start, fc.nat(13), fc.constantFrom(..."ABCxyz019-_"), (at, index, character) => {
      const cursor = encodeCursor(at, "list");
      const changed = cursor.slice(0, index) + character + cursor.slice(index + 1);
      if (changed !== cursor) expect(decodeCursor(changed, "list")).toBeUndefined();
    }),
  );
});

test("cursors of earlier versions of the program stay valid", () => {
  expect(decodeCursor("g8mIIwS6UL7S116", "listPets")).toEqual({ after: 42, afterName: undefined });
});
