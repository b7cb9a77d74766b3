import type { Case } from "./cases.ts";

/** A known fault of the service. Cases that would trigger the fault are counted, but not sent. */
export interface KnownFault {
  readonly name: string;
  readonly reason: string;
  matches(one: Case): boolean;
}

export const knownFaults: readonly KnownFault[] = [];
