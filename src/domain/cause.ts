import { ServiceError } from "./errors.ts";

/**
 * What went wrong at the bottom of it. A failure that the code foresees is told by its message alone: where in the code it arose
 * would help nobody.
 */
export function describeCause(cause: unknown): string {
  if (cause instanceof ServiceError) return cause.cause === undefined ? cause.message : describeCause(cause.cause);
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
