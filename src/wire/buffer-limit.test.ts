import { expect, test } from "bun:test";
import { BufferLimit } from "./buffer-limit.ts";

function start(maxBytes: number) {
  const dropped: string[] = [];
  const owner = (name: string, isTrusted = false) => ({ isTrusted, drop: () => dropped.push(name) });
  return { limit: new BufferLimit("output", maxBytes), dropped, owner };
}

test("beyond the limit, those end whose clients have taken nothing for the longest, and no more of them than needed", () => {
  const { limit, dropped, owner } = start(100);
  const [first, second, third] = [owner("first"), owner("second"), owner("third")];
  limit.hold(first, 40);
  limit.hold(second, 40);
  limit.hold(third, 20);
  expect(dropped).toEqual([]);
  // Its client has taken a part.
  limit.hold(first, 30);
  limit.hold(owner("fourth"), 11);
  expect(dropped).toEqual(["second"]);
  limit.hold(owner("fifth"), 60);
  expect(dropped).toEqual(["second", "third", "first"]);
  expect([limit.droppedCount, limit.bytes]).toEqual([3, 71]);
});

test("a trusted connection is disconnected only after all others, however long its buffer has not moved", () => {
  const { limit, dropped, owner } = start(100);
  limit.hold(owner("trusted", true), 60);
  limit.hold(owner("other"), 40);
  limit.hold(owner("third"), 40);
  expect(dropped).toEqual(["other"]);
  limit.hold(owner("trusted, later", true), 41);
  expect(dropped).toEqual(["other", "third", "trusted"]);
});

test("a connection that holds little is never disconnected, however long its buffer has not moved", () => {
  const { limit, dropped, owner } = start(100);
  limit.hold(owner("small"), 4);
  limit.hold(owner("small, trusted", true), 4);
  limit.hold(owner("trusted", true), 48);
  for (const name of ["first", "second"]) limit.hold(owner(name), 48);
  limit.hold(owner("trusted, later", true), 48);
  expect(dropped).toEqual(["first", "second", "trusted"]);
});

test("what was taken, or is gone, counts no more", () => {
  const { limit, dropped, owner } = start(100);
  const [taken, gone, late] = [owner("taken"), owner("gone"), owner("late")];
  limit.hold(taken, 60);
  limit.hold(taken, 0);
  limit.hold(gone, 60);
  limit.release(gone);
  limit.release(gone);
  limit.hold(late, 100);
  expect(dropped).toEqual([]);
  limit.hold(owner("more"), 1);
  expect(dropped).toEqual(["late"]);
});
