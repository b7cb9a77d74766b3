import type { Clock } from "../base/clock.ts";
import type { Deprecation, Operation } from "./operation.ts";

export function isInService({ deprecated }: Operation, clock: Clock): boolean {
  return !deprecated || clock() < endOfService(deprecated);
}

/** Returns the end of the last day, which is parsed once. */
export function endOfService(deprecation: Deprecation): number {
  let end = ends.get(deprecation);
  if (end === undefined) {
    end = Date.parse(deprecation.sunset) + 24 * 60 * 60 * 1000;
    ends.set(deprecation, end);
  }
  return end;
}

const ends = new WeakMap<Deprecation, number>();
