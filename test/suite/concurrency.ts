import { availableParallelism, cpus } from "node:os";

/** A function that returns true if another job may start. `runJobs` polls the function while jobs are waiting. */
export type CanStart = (runningCount: number) => boolean;

export function allowAtMost(jobs: number): CanStart {
  return (running) => running < jobs;
}

/** The idle time and the total time of all cores since the machine started, in any unit. */
export interface CoreTimes {
  readonly idle: number;
  readonly all: number;
}

/** Allows one job more than there are cores, and further jobs while cores are idle, because tests often wait. */
export function allowWhileIdle(
  cores = availableParallelism(),
  readTimes: () => CoreTimes = readCoreTimes,
  clock: () => number = () => performance.now(),
): CanStart {
  let previous = { ...readTimes(), at: clock() };
  return (running) => {
    const current = { ...readTimes(), at: clock() };
    const idle = (current.idle - previous.idle) / Math.max(1, current.all - previous.all);
    const isIdle = idleWindows.some(({ ms, share }) => current.at - previous.at >= ms && idle > share);
    const isFew = running < cores + minExtraJobs;
    if (!isFew && !isIdle && current.at - previous.at < maxWindowMs) return false;
    previous = current;
    return isFew || (isIdle && running < cores + maxExtraJobs);
  };
}

const minExtraJobs = 1;
const maxExtraJobs = 6;

/** Cores count as idle only if their idle share exceeds `share` over `ms`, because busy cores are also idle for short moments. */
const idleWindows = [
  { ms: 400, share: 0.4 },
  { ms: 1_500, share: 0.12 },
];
const maxWindowMs = Math.max(...idleWindows.map(({ ms }) => ms));

function readCoreTimes(): CoreTimes {
  const times = cpus().map((core) => core.times);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}
