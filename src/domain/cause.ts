import { ServiceError } from "./errors.ts";

/** Returns the message of an expected error, and the stack of any other. */
export function describeCause(cause: unknown): string {
  if (cause instanceof ServiceError) return cause.cause === undefined ? cause.message : describeCause(cause.cause);
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
