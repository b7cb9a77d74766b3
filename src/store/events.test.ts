import { expect, test } from "bun:test";
import { nextTick } from "../base/tick.ts";
import { EventWatch } from "./events.ts";

async function countNotifications(checks: number, staleMs: number, readNewest: () => number): Promise<number> {
  let notificationCount = 0;
  const watch = new EventWatch(readNewest, 2 ** 30, staleMs);
  const stopWatching = watch.add(() => notificationCount++);
  for (let check = 0; check < checks; check++) {
    watch.check();
    await nextTick();
  }
  stopWatching();
  return notificationCount;
}

test("event watchers are notified once of each change of the newest position", async () => {
  let position = 7;
  expect(await countNotifications(5, 0, () => 7)).toBe(1);
  expect(await countNotifications(5, 0, () => position++)).toBe(5);
});

test("event watchers whose reads may be stale are notified again without a change", async () => {
  expect(await countNotifications(5, Number.POSITIVE_INFINITY, () => 7)).toBe(5);
});
