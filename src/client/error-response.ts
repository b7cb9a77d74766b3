import * as errors from "./errors.ts";
import type { Problem } from "./generated.ts";

/** Returns the error of a response, in the class for its status. */
export function errorOf(response: Response, text: string): errors.ApiError {
  const Kind = kinds[response.status] ?? errors.ApiError;
  return new Kind(response, response.status === notModified.status ? notModified : problemIn(text));
}

/** Replaces the body, which a 304 does not have. */
const notModified = { status: 304, code: "NotModified", detail: "What you have is still current." } as const;

const kinds: Readonly<Record<number, typeof errors.ApiError>> = {
  304: errors.NotModifiedError,
  400: errors.BadRequestError,
  401: errors.UnauthorizedError,
  403: errors.ForbiddenError,
  404: errors.NotFoundError,
  405: errors.MethodNotAllowedError,
  408: errors.RequestTimeoutError,
  409: errors.ConflictError,
  410: errors.GoneError,
  412: errors.PreconditionFailedError,
  413: errors.PayloadTooLargeError,
  415: errors.UnsupportedMediaTypeError,
  422: errors.UnprocessableContentError,
  429: errors.RateLimitedError,
  431: errors.RequestHeaderFieldsTooLargeError,
  500: errors.InternalServerError,
  501: errors.NotImplementedError,
  503: errors.ServiceUnavailableError,
  505: errors.HttpVersionNotSupportedError,
  507: errors.InsufficientStorageError,
};

/** Returns an empty problem for a body of another kind, such as a proxy sends. */
function problemIn(text: string): Partial<Problem> {
  try {
    const { code, detail, errors } = JSON.parse(text);
    if (typeof code !== "string" || typeof detail !== "string") return {};
    return { code, detail, ...(Array.isArray(errors) && { errors }) };
  } catch {
    return {};
  }
}
