import { ServiceError } from "./errors.ts";

/** The state that the caller has read; null if the resource did not exist, undefined if any state is acceptable. */
export type Expectation<Thing> = Thing | null | undefined;

/** An expectation that no state satisfies. A plain object, because a symbol cannot be sent to the writer thread. */
export const neverMatching = {};

/** Fields that the service updates on its own. Expectations and ETags ignore them. */
export const volatileFields: ReadonlySet<string> = new Set(["lastUsedAt", "failingSince"]);

export function requireExpected<Thing extends object>(current: Thing | undefined, expected: Expectation<Thing>): void {
  if (expected === undefined) return;
  if (expected === null ? current === undefined : current !== undefined && isSame(current, expected)) return;
  throw preconditionFailed();
}

export function preconditionFailed(): ServiceError {
  const message = "The resource does not match If-Match or If-None-Match. Read it again, then decide.";
  return new ServiceError("PreconditionFailed", message);
}

function isSame<Thing extends object>(one: Thing, other: Thing): boolean {
  const fields = Object.keys(one) as (keyof Thing & string)[];
  return fields.every((field) => one[field] === other[field] || volatileFields.has(field));
}
