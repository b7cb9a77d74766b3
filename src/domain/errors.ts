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

/** There may be no more of something at a time. */
export class Crowded extends PassingError {
  constructor(
    readonly kind: "streams" | "exports" | "bodies",
    message: string,
    retryAfterSeconds: number,
  ) {
    super("TooManyRequests", message, retryAfterSeconds);
  }
}
