import { expect, test } from "bun:test";
import { BufferLimit } from "./buffer-limit.ts";

function start(maxBytes: number) {
  const dropped: string[] = [];
  const owner = (name: string, isTrusted = false) => ({ isTrusted, drop: () => dropped.push(name) });
  return { limit: new BufferLimit("output", maxBytes), dropped, owner };
}

test("beyond the limit, the connections with the least recently changed buffers are dropped, and no more than needed", () => {
  const { limit, dropped, owner } = start(100);
  const [first, second, third] = [owner("first"), owner("second"), owner("third")];
  limit.setBytes(first, 40);
  limit.setBytes(second, 40);
  limit.setBytes(third, 20);
  expect(dropped).toEqual([]);
  limit.setBytes(first, 30);
  limit.setBytes(owner("fourth"), 11);
  expect(dropped).toEqual(["second"]);
  limit.setBytes(owner("fifth"), 60);
  expect(dropped).toEqual(["second", "third", "first"]);
  expect([limit.droppedCount, limit.bytes]).toEqual([3, 71]);
});

test("a trusted connection is dropped only after all others, however long its buffer has not changed", () => {
  const { limit, dropped, owner } = start(100);
  limit.setBytes(owner("trusted", true), 60);
  limit.setBytes(owner("other"), 40);
  limit.setBytes(owner("third"), 40);
  expect(dropped).toEqual(["other"]);
  limit.setBytes(owner("trusted, later", true), 41);
  expect(dropped).toEqual(["other", "third", "trusted"]);
});

test("a connection with a small buffer is never dropped, however long the buffer has not changed", () => {
  const { limit, dropped, owner } = start(100);
  limit.setBytes(owner("small"), 4);
  limit.setBytes(owner("small, trusted", true), 4);
  limit.setBytes(owner("trusted", true), 48);
  for (const name of ["first", "second"]) limit.setBytes(owner(name), 48);
  limit.setBytes(owner("trusted, later", true), 48);
  expect(dropped).toEqual(["first", "second", "trusted"]);
});

test("buffers that were emptied or released no longer count", () => {
  const { limit, dropped, owner } = start(100);
  const [emptied, released, late] = [owner("emptied"), owner("released"), owner("late")];
  limit.setBytes(emptied, 60);
  limit.setBytes(emptied, 0);
  limit.setBytes(released, 60);
  limit.release(released);
  limit.release(released);
  limit.setBytes(late, 100);
  expect(dropped).toEqual([]);
  limit.setBytes(owner("more"), 1);
  expect(dropped).toEqual(["late"]);
});
