import { expect, test } from "bun:test";
import { Semaphore } from "./semaphore.ts";
import { nextTick } from "./tick.ts";

test("a semaphore limits concurrent work and starts waiting work in order, even after other work has failed", async () => {
  const semaphore = new Semaphore(2);
  const started: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const results = works.map(({ promise }, index) =>
    semaphore.run(() => {
      started.push(index);
      return promise;
    }),
  );
  const settled = Promise.allSettled(results);
  expect(started).toEqual([0, 1]);
  works[1]?.reject(new Error("It has failed."));
  await nextTick();
  expect(started).toEqual([0, 1, 2]);
  for (const [index, { resolve }] of works.entries()) resolve(index);
  const statuses = (await settled).map(({ status }) => status);
  expect(statuses).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled", "fulfilled"]);
  expect(started).toEqual([0, 1, 2, 3, 4]);
  expect(await semaphore.run(async () => "another")).toBe("another");
});
