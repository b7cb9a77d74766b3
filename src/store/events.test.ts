import { expect, test } from "bun:test";
import { nextTick } from "../base/tick.ts";
import { EventWatch } from "./events.ts";

/** Returns the number of notifications in a number of checks. */
async function toldIn(looks: number, doubtMs: number, newest: () => number): Promise<number> {
  let told = 0;
  const watch = new EventWatch(newest, 2 ** 30, doubtMs);
  const end = watch.add(() => told++);
  for (let look = 0; look < looks; look++) {
    watch.check();
    await nextTick();
  }
  end();
  return told;
}

test("watchers are notified once of each change", async () => {
  let position = 7;
  expect(await toldIn(5, 0, () => 7)).toBe(1);
  expect(await toldIn(5, 0, () => position++)).toBe(5);
});

test("watchers whose reads may be stale are notified again", async () => {
  expect(await toldIn(5, Number.POSITIVE_INFINITY, () => 7)).toBe(5);
});
