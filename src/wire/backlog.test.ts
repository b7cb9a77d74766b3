import { expect, test } from "bun:test";
import { Backlog } from "./backlog.ts";

function start(mostBytes: number) {
  const ended: string[] = [];
  const waiter = (name: string) => ({ end: () => ended.push(name) });
  return { backlog: new Backlog(mostBytes), ended, waiter };
}

test("beyond the limit, those end whose clients have taken nothing for the longest, and no more of them than needed", () => {
  const { backlog, ended, waiter } = start(100);
  const [first, second, third] = [waiter("first"), waiter("second"), waiter("third")];
  backlog.hold(first, 40);
  backlog.hold(second, 40);
  backlog.hold(third, 20);
  expect(ended).toEqual([]);
  // Its client has taken a part.
  backlog.hold(first, 30);
  backlog.hold(waiter("fourth"), 11);
  expect(ended).toEqual(["second"]);
  backlog.hold(waiter("fifth"), 60);
  expect(ended).toEqual(["second", "third", "first"]);
  expect([backlog.ended, backlog.bytes]).toEqual([3, 71]);
});

test("what was taken, or is gone, counts no more", () => {
  const { backlog, ended, waiter } = start(100);
  const [taken, gone, late] = [waiter("taken"), waiter("gone"), waiter("late")];
  backlog.hold(taken, 60);
  backlog.hold(taken, 0);
  backlog.hold(gone, 60);
  backlog.release(gone);
  backlog.release(gone);
  backlog.hold(late, 100);
  expect(ended).toEqual([]);
  backlog.hold(waiter("more"), 1);
  expect(ended).toEqual(["late"]);
});
