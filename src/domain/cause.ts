import { ServiceError } from "./errors.ts";

/** What went wrong at the bottom of it. What was expected to happen is told by its message, and nobody needs to know where in the code. */
export function describeCause(cause: unknown): string {
  if (cause instanceof ServiceError) return cause.cause === undefined ? cause.message : describeCause(cause.cause);
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
