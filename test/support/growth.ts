/** For an input eight times as long, linear work takes eight times as long, and quadratic work sixty-four times. */
const [short, long, maxGrowth] = [1_024, 8_192, 24];
/** Microseconds of CPU; shorter work on the long input can only grow by chance. */
const negligibleUs = 10_000;

/** True if the work grows faster than linearly with the length of its input. */
export function growsTooFast(workOn: (length: number) => () => unknown): boolean {
  const longUs = minCpu(workOn(long));
  return longUs > negligibleUs && longUs > maxGrowth * minCpu(workOn(short));
}

/** Returns the minimum of a few runs in microseconds, because other load on the machine can only add to it. */
export function minCpu(work: () => unknown): number {
  const runs = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(1, Math.min(...runs));
}
