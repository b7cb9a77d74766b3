import { ServiceError } from "./errors.ts";

/** What went wrong at the bottom of it. */
export function describeCause(cause: unknown): string {
  if (cause instanceof ServiceError && cause.cause !== undefined) return describeCause(cause.cause);
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
