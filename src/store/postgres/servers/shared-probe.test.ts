import { expect, test } from "bun:test";
import { shareProbe } from "./shared-probe.ts";

test("however many ask at once, and while one is under way, ask once", async () => {
  let asked = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const probe = shareProbe(() => {
    asked++;
    return promise;
  });
  const early = Array.from({ length: 100 }, () => probe());
  // Longer than an answer is given again.
  await Bun.sleep(300);
  const late = Array.from({ length: 100 }, () => probe());
  resolve();
  await Promise.all([...early, ...late]);
  expect(asked).toBe(1);
});

test("all are told of a failure, and after a moment it is asked again", async () => {
  let asked = 0;
  const probe = shareProbe(async () => {
    if (++asked === 1) throw new Error("down");
  });
  const outcomes = await Promise.allSettled([probe(), probe()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  while (
    !(await probe().then(
      () => true,
      () => false,
    ))
  ) {
    expect(asked).toBe(1);
    await Bun.sleep(10);
  }
  expect(asked).toBe(2);
});
