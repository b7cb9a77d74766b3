import { Throttled } from "./errors.ts";

/** Exports are limited, because the store keeps old versions of rows for each of them. */
export function tooManyExports(): Throttled {
  return new Throttled("exports", "Too many exports are in progress. Try again in a moment.", 5);
}
