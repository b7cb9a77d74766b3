import { availableParallelism, cpus } from "node:os";

/** Whether another job may begin while so many run. It is asked again and again as long as there are some left. */
export type HasRoom = (running: number) => boolean;

export function atMost(jobs: number): HasRoom {
  return (running) => running < jobs;
}

/** What all cores have done since the machine was started, in any unit. */
export interface CoreTimes {
  readonly idle: number;
  readonly all: number;
}

/**
 * One job more than there are cores, and further ones while cores have nothing to do, because tests often wait: for a server to come
 * back, or for a deadline. With more processes at work than that, each costs more time of the cores: with six on two cores, an eighth.
 */
export function whileIdle(
  cores = availableParallelism(),
  readTimes: () => CoreTimes = timesOfCores,
  clock: () => number = () => performance.now(),
): HasRoom {
  let before = { ...readTimes(), at: clock() };
  return (running) => {
    const now = { ...readTimes(), at: clock() };
    const idle = (now.idle - before.idle) / Math.max(1, now.all - before.all);
    const isIdle = windows.some(({ ms, share }) => now.at - before.at >= ms && idle > share);
    const isFew = running < cores + alwaysFurther;
    if (!isFew && !isIdle && now.at - before.at < maxWindowMs) return false;
    before = now;
    return isFew || (isIdle && running < cores + maxExtraJobs);
  };
}

const alwaysFurther = 1;
const maxExtraJobs = 6;

/** How idle the cores must have been, and for how long: a core is often idle for an instant, and what has just begun takes a moment. */
const windows = [
  { ms: 400, share: 0.4 },
  { ms: 1_500, share: 0.12 },
];
const maxWindowMs = Math.max(...windows.map(({ ms }) => ms));

function timesOfCores(): CoreTimes {
  const times = cpus().map((core) => core.times);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}
