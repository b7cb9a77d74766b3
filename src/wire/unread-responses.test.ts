import { expect, test } from "bun:test";
import { UnreadResponses } from "./unread-responses.ts";

function start(mostBytes: number) {
  const dropped: string[] = [];
  const waiter = (name: string) => ({ drop: () => dropped.push(name) });
  return { unread: new UnreadResponses(mostBytes), dropped, waiter };
}

test("beyond the limit, those end whose clients have taken nothing for the longest, and no more of them than needed", () => {
  const { unread, dropped, waiter } = start(100);
  const [first, second, third] = [waiter("first"), waiter("second"), waiter("third")];
  unread.hold(first, 40);
  unread.hold(second, 40);
  unread.hold(third, 20);
  expect(dropped).toEqual([]);
  // Its client has taken a part.
  unread.hold(first, 30);
  unread.hold(waiter("fourth"), 11);
  expect(dropped).toEqual(["second"]);
  unread.hold(waiter("fifth"), 60);
  expect(dropped).toEqual(["second", "third", "first"]);
  expect([unread.dropped, unread.bytes]).toEqual([3, 71]);
});

test("what was taken, or is gone, counts no more", () => {
  const { unread, dropped, waiter } = start(100);
  const [taken, gone, late] = [waiter("taken"), waiter("gone"), waiter("late")];
  unread.hold(taken, 60);
  unread.hold(taken, 0);
  unread.hold(gone, 60);
  unread.release(gone);
  unread.release(gone);
  unread.hold(late, 100);
  expect(dropped).toEqual([]);
  unread.hold(waiter("more"), 1);
  expect(dropped).toEqual(["late"]);
});
