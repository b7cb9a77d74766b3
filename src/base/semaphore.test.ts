import { expect, test } from "bun:test";
import { Semaphore } from "./semaphore.ts";
import { nextTick } from "./tick.ts";

test("so many things are done at once, the others in their order, also after one that fails", async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  const works = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const results = works.map(({ promise }, index) =>
    semaphore.run(() => {
      begun.push(index);
      return promise;
    }),
  );
  const settled = Promise.allSettled(results);
  expect(begun).toEqual([0, 1]);
  works[1]?.reject(new Error("It has failed."));
  await nextTick();
  expect(begun).toEqual([0, 1, 2]);
  for (const [index, { resolve }] of works.entries()) resolve(index);
  expect((await settled).map(({ status }) => status)).toEqual([
    "fulfilled",
    "rejected",
    "fulfilled",
    "fulfilled",
    "fulfilled",
  ]);
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  expect(await semaphore.run(async () => "another")).toBe("another");
});
