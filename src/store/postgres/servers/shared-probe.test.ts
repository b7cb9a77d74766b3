import { expect, test } from "bun:test";
import { shareProbe } from "./shared-probe.ts";

test("readiness checks share one probe while the probe is in flight", async () => {
  let probeCount = 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const probe = shareProbe(() => {
    probeCount++;
    return promise;
  });
  const early = Array.from({ length: 100 }, () => probe());
  // Longer than the interval in which a result is shared.
  await Bun.sleep(300);
  const late = Array.from({ length: 100 }, () => probe());
  resolve();
  await Promise.all([...early, ...late]);
  expect(probeCount).toBe(1);
});

test("all readiness checks that share a failed probe get the error, and a later check sends a new probe", async () => {
  let probeCount = 0;
  const probe = shareProbe(async () => {
    if (++probeCount === 1) throw new Error("down");
  });
  const outcomes = await Promise.allSettled([probe(), probe()]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  while (
    !(await probe().then(
      () => true,
      () => false,
    ))
  ) {
    expect(probeCount).toBe(1);
    await Bun.sleep(10);
  }
  expect(probeCount).toBe(2);
});
