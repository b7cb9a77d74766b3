import * as errors from "./errors.ts";
import type { Problem } from "./generated.ts";

export function createError(response: Response, text: string): errors.ApiError {
  const [name, ErrorClass] = errorClasses[response.status] ?? ["ApiError", errors.ApiError];
  const error = new ErrorClass(response, response.status === notModified.status ? notModified : parseProblem(text));
  // The class cannot supply the name, because bundlers shorten the names of classes.
  error.name = name;
  return error;
}

/** A 304 has no body, so the client supplies the code and the message. */
const notModified = { status: 304, code: "NotModified", detail: "Your version is still current." } as const;

/** Parses a Problem body, or the Error body that a proxy may send. */
function parseProblem(text: string): Partial<Problem> {
  try {
    const { code, message, detail = message, errors } = JSON.parse(text);
    if (typeof code !== "string" || typeof detail !== "string") return {};
    return { code, detail, ...(Array.isArray(errors) && { errors }) };
  } catch {
    return {};
  }
}

const errorClasses: Readonly<Record<number, readonly [name: string, ErrorClass: typeof errors.ApiError]>> = {
  304: ["NotModifiedError", errors.NotModifiedError],
  400: ["BadRequestError", errors.BadRequestError],
  401: ["UnauthorizedError", errors.UnauthorizedError],
  403: ["ForbiddenError", errors.ForbiddenError],
  404: ["NotFoundError", errors.NotFoundError],
  405: ["MethodNotAllowedError", errors.MethodNotAllowedError],
  408: ["RequestTimeoutError", errors.RequestTimeoutError],
  409: ["ConflictError", errors.ConflictError],
  410: ["GoneError", errors.GoneError],
  412: ["PreconditionFailedError", errors.PreconditionFailedError],
  413: ["PayloadTooLargeError", errors.PayloadTooLargeError],
  415: ["UnsupportedMediaTypeError", errors.UnsupportedMediaTypeError],
  422: ["UnprocessableContentError", errors.UnprocessableContentError],
  429: ["RateLimitedError", errors.RateLimitedError],
  431: ["RequestHeaderFieldsTooLargeError", errors.RequestHeaderFieldsTooLargeError],
  500: ["InternalServerError", errors.InternalServerError],
  501: ["NotImplementedError", errors.NotImplementedError],
  503: ["ServiceUnavailableError", errors.ServiceUnavailableError],
  505: ["HttpVersionNotSupportedError", errors.HttpVersionNotSupportedError],
  507: ["InsufficientStorageError", errors.InsufficientStorageError],
};
