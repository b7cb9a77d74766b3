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
    if (running <= cores) return true;
    const now = { ...readTimes(), at: clock() };
    if (running >= cores + mostFurther || now.at - before.at < leastMs) return false;
    const isIdle = now.idle - before.idle > idleShare * (now.all - before.all);
    before = now;
    return isIdle;
  };
}

const mostFurther = 6;
/** The time of cores is counted in hundredths of a second, and what has just begun takes a moment to have some. */
const leastMs = 400;
const idleShare = 0.1;

function timesOfCores(): CoreTimes {
  const times = cpus().map((core) => core.times);
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return { idle: sum(times.map(({ idle }) => idle)), all: sum(times.flatMap((each) => Object.values(each))) };
}
