import type { Clock } from "../base/clock.ts";
import type { Deprecation, Operation } from "./operation.ts";

/** Whether the operation still belongs to the interface. */
export function isInService({ deprecated }: Operation, clock: Clock): boolean {
  return !deprecated || clock() < endOfService(deprecated);
}

/** The moment after the last day, which never changes, so that it is parsed once. */
export function endOfService(deprecation: Deprecation): number {
  let end = ends.get(deprecation);
  if (end === undefined) {
    end = Date.parse(deprecation.sunset) + 24 * 60 * 60 * 1000;
    ends.set(deprecation, end);
  }
  return end;
}

const ends = new WeakMap<Deprecation, number>();
