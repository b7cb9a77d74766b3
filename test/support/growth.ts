/** Of what is eight times as long, the work takes eight times as long, or sixty-four times if it goes through all for each part. */
const [short, long, maxGrowthBytes] = [1_024, 8_192, 24];
/** What takes less than this even of the long one, in microseconds of CPU, can grow only by chance. */
const negligible = 10_000;

/** Whether the work on what has a length takes more and more time for each part of it. */
export function growsTooFast(workOn: (length: number) => () => unknown): boolean {
  const longest = minCpu(workOn(long));
  return longest > negligible && longest > maxGrowthBytes * minCpu(workOn(short));
}

/** In microseconds. Of a few tries: whatever else the machine does can only add to it. */
export function minCpu(work: () => unknown): number {
  const tries = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(1, Math.min(...tries));
}
