import type { Int64 } from "../base/int64.ts";

export type RefusalCode =
  | "BadRequest"
  | "Forbidden"
  | "NotFound"
  | "Conflict"
  | "Gone"
  | "PreconditionFailed"
  | "UnprocessableContent"
  | "TooManyRequests"
  | "InternalServerError"
  | "ServiceUnavailable"
  | "InsufficientStorage";

/** An error that the caller sees. The message is public; the cause goes to the log, for operators. */
export class ServiceError<Code extends string = RefusalCode> extends Error {
  override readonly name = "ServiceError";

  constructor(
    readonly code: Code,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

export class TemporaryError extends ServiceError {
  constructor(
    code: RefusalCode,
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(code, message);
  }
}

/** The names of the limits in the metrics. */
export const throttleKinds = [
  "quota",
  "anonymous",
  "wrong_keys",
  "idempotency",
  "streams",
  "exports",
  "bodies",
] as const;
export type ThrottleKind = (typeof throttleKinds)[number];

export class Throttled extends TemporaryError {
  constructor(
    readonly kind: ThrottleKind,
    message: string,
    retryAfterSeconds: number,
  ) {
    super("TooManyRequests", message, retryAfterSeconds);
  }
}

export function notFound(noun: "animal" | "order" | "category" | "key" | "webhook", id: Int64): ServiceError {
  return new ServiceError("NotFound", `No ${noun} has the id ${id}.`);
}

/** Exports are limited, because the store keeps old versions of rows for each running export. */
export function tooManyExports(): Throttled {
  return new Throttled("exports", "Too many exports are in progress. Try again in a moment.", 5);
}

/** Returns the message of an expected error or of its cause, and the stack of any other error. */
export function describeCause(cause: unknown): string {
  if (cause instanceof ServiceError) return cause.cause === undefined ? cause.message : describeCause(cause.cause);
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
