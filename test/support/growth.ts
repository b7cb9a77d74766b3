/** For an input eight times as long, linear work takes eight times as long, and quadratic work 64 times as long. */
const [shortLength, longLength, maxGrowth] = [1_024, 8_192, 24];
/** CPU time for the long input up to which the measurement is too imprecise to compare. */
const negligibleUs = 10_000;

/** True if the work grows faster than linearly with the length of its input. */
export function growsTooFast(prepareWork: (length: number) => () => unknown): boolean {
  const longUs = measureMinCpuUs(prepareWork(longLength));
  return longUs > negligibleUs && longUs > maxGrowth * measureMinCpuUs(prepareWork(shortLength));
}

/** Returns the minimum CPU time of a few runs, because other load on the machine can only add to the CPU time. */
export function measureMinCpuUs(work: () => unknown): number {
  const cpuTimes = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(1, Math.min(...cpuTimes));
}
