import { Throttled } from "./errors.ts";

/** Each holds a view of the store as it was, and what has changed since must be kept beside it. */
export function tooManyExports(): Throttled {
  return new Throttled("exports", "Too many exports are in progress. Try again in a moment.", 5);
}
