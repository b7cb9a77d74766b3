import type { Case } from "./cases.ts";

/** Something that is known not to hold yet. What matches is not sent, and is counted. */
export interface KnownFault {
  readonly name: string;
  readonly reason: string;
  matches(one: Case): boolean;
}

export const knownFaults: readonly KnownFault[] = [];
