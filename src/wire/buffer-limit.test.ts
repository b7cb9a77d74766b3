import { expect, test } from "bun:test";
import { BufferLimit } from "./buffer-limit.ts";

function startLimit(maxBytes: number) {
  const dropped: string[] = [];
  const createOwner = (name: string, isTrusted = false) => ({ isTrusted, drop: () => dropped.push(name) });
  return { limit: new BufferLimit("output", maxBytes), dropped, createOwner };
}

test("beyond the limit, the connections with the least recently changed buffers are dropped, and no more than needed", () => {
  const { limit, dropped, createOwner } = startLimit(100);
  const [first, second, third] = [createOwner("first"), createOwner("second"), createOwner("third")];
  limit.setBytes(first, 40);
  limit.setBytes(second, 40);
  limit.setBytes(third, 20);
  expect(dropped).toEqual([]);
  limit.setBytes(first, 30);
  limit.setBytes(createOwner("fourth"), 11);
  expect(dropped).toEqual(["second"]);
  limit.setBytes(createOwner("fifth"), 60);
  expect(dropped).toEqual(["second", "third", "first"]);
  expect([limit.droppedCount, limit.bytes]).toEqual([3, 71]);
});

test("a trusted connection is dropped only after all others, however long its buffer has not changed", () => {
  const { limit, dropped, createOwner } = startLimit(100);
  limit.setBytes(createOwner("trusted", true), 60);
  limit.setBytes(createOwner("other"), 40);
  limit.setBytes(createOwner("third"), 40);
  expect(dropped).toEqual(["other"]);
  limit.setBytes(createOwner("trusted, later", true), 41);
  expect(dropped).toEqual(["other", "third", "trusted"]);
});

test("a connection with a small buffer is never dropped, however long the buffer has not changed", () => {
  const { limit, dropped, createOwner } = startLimit(100);
  limit.setBytes(createOwner("small"), 4);
  limit.setBytes(createOwner("small, trusted", true), 4);
  limit.setBytes(createOwner("trusted", true), 48);
  for (const name of ["first", "second"]) limit.setBytes(createOwner(name), 48);
  limit.setBytes(createOwner("trusted, later", true), 48);
  expect(dropped).toEqual(["first", "second", "trusted"]);
});

test("buffers that were emptied or released no longer count", () => {
  const { limit, dropped, createOwner } = startLimit(100);
  const [emptied, released, late] = [createOwner("emptied"), createOwner("released"), createOwner("late")];
  limit.setBytes(emptied, 60);
  limit.setBytes(emptied, 0);
  limit.setBytes(released, 60);
  limit.release(released);
  limit.release(released);
  limit.setBytes(late, 100);
  expect(dropped).toEqual([]);
  limit.setBytes(createOwner("more"), 1);
  expect(dropped).toEqual(["late"]);
});
