/** Every `code` that an error body can carry. */
export const errorCodes = [
  "BadRequest",
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "MethodNotAllowed",
  "RequestTimeout",
  "Conflict",
  "Gone",
  "PreconditionFailed",
  "PayloadTooLarge",
  "UnsupportedMediaType",
  "UnprocessableContent",
  "TooManyRequests",
  "InternalServerError",
  "ServiceUnavailable",
  "InsufficientStorage",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

/**
 * A failure that the caller is told of. The message is public; what only operators may see travels
 * as the cause and goes to the log.
 */
export class ServiceError extends Error {
  override readonly name = "ServiceError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** A failure that passes by itself. */
export class PassingError extends ServiceError {
  constructor(
    code: ErrorCode,
    message: string,
    readonly retryAfterSeconds: number,
  ) {
    super(code, message);
  }
}
