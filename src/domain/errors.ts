/** Why the rules of the store, or the store itself, refuse something. */
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

/**
 * A failure that the caller sees. The message is public; what only operators may see travels
 * as the cause and goes to the log.
 */
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

/** A temporary failure. */
export class PassingError extends ServiceError {
  constructor(
    code: RefusalCode,
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(code, message);
  }
}

/** The limits on requests, as metrics name them. */
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

/** A request beyond a limit. */
export class Throttled extends PassingError {
  constructor(
    readonly kind: ThrottleKind,
    message: string,
    retryAfterSeconds: number,
  ) {
    super("TooManyRequests", message, retryAfterSeconds);
  }
}
