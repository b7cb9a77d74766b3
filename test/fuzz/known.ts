import type { Case } from "./cases.ts";

/** A known fault. Matching cases are counted and not sent. */
export interface KnownFault {
  readonly name: string;
  readonly reason: string;
  matches(one: Case): boolean;
}

export const knownFaults: readonly KnownFault[] = [];
