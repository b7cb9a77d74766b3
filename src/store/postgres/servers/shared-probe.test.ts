import { expect, test } from "bun:test";
import { shareProbe } from "./shared-probe.ts";

test("concurrent calls, and calls while the probe is in flight, share one probe", async () => {
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

test("all calls get the error of a failed probe, and a later call probes again", async () => {
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
