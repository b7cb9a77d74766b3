import { ServiceError } from "./errors.ts";

/**
 * What a caller has seen of a thing that it is about to change: the thing, null if there was none, undefined if the
 * caller does not mind.
 */
export type Expectation<Thing> = Thing | null | undefined;

/** What nothing that is there can meet. A plain object, because it is sent to the thread that writes. */
export const unmeetable = {};

/** Fields that the service updates on its own. They are no part of what a client expects, and of an ETag. */
export const volatileFields: ReadonlySet<string> = new Set(["lastUsedAt", "failingSince"]);

/** Throws PreconditionFailed if the current state is not the one that the caller saw. */
export function requireExpected<Thing extends object>(current: Thing | undefined, expected: Expectation<Thing>): void {
  if (expected === undefined) return;
  if (expected === null ? current === undefined : current !== undefined && isSame(current, expected)) return;
  throw changedMeanwhile();
}

export function changedMeanwhile(): ServiceError {
  return new ServiceError(
    "PreconditionFailed",
    "The resource does not match If-Match or If-None-Match. Read it again, then decide.",
  );
}

function isSame<Thing extends object>(one: Thing, other: Thing): boolean {
  const fields = Object.keys(one) as (keyof Thing & string)[];
  return fields.every((field) => one[field] === other[field] || volatileFields.has(field));
}
