import type { Case } from "./cases.ts";

/** Something that is known not to hold yet. What matches is not sent, and is counted. */
export interface KnownFault {
  readonly name: string;
  readonly reason: string;
  matches(one: Case): boolean;
}

export const knownFaults: readonly KnownFault[] = [
  {
    name: "a fragment behind the authority of a target",
    reason:
      "The runtime takes all up to the next slash for the authority, which is not looked at, and hands on only the rest.",
    matches: ({ requests }) => requests.some(({ target }) => /^https?:\/\/[^/]*#/i.test(target)),
  },
];
