import {
  ApiError,
  BadRequestError,
  ConflictError,
  ForbiddenError,
  GoneError,
  InsufficientStorageError,
  InternalServerError,
  MethodNotAllowedError,
  NotFoundError,
  NotModifiedError,
  PayloadTooLargeError,
  PreconditionFailedError,
  RateLimitedError,
  RequestHeaderFieldsTooLargeError,
  RequestTimeoutError,
  ServiceUnavailableError,
  UnauthorizedError,
  UnprocessableContentError,
  UnsupportedMediaTypeError,
} from "./errors.ts";
import type { Problem } from "./generated.ts";

/** The error that an answer stands for. */
export function errorOf(response: Response, text: string): ApiError {
  const Kind = kinds[response.status] ?? ApiError;
  return new Kind(response, response.status === notModified.status ? notModified : problemIn(text));
}

/** It has no body that could say so. */
const notModified = { status: 304, code: "NotModified", detail: "What you have is still current." } as const;

const kinds: Readonly<Record<number, typeof ApiError>> = {
  304: NotModifiedError,
  400: BadRequestError,
  401: UnauthorizedError,
  403: ForbiddenError,
  404: NotFoundError,
  405: MethodNotAllowedError,
  408: RequestTimeoutError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionFailedError,
  413: PayloadTooLargeError,
  415: UnsupportedMediaTypeError,
  422: UnprocessableContentError,
  429: RateLimitedError,
  431: RequestHeaderFieldsTooLargeError,
  500: InternalServerError,
  503: ServiceUnavailableError,
  507: InsufficientStorageError,
};

/** Proxies answer with whatever they like. */
function problemIn(text: string): Partial<Problem> {
  try {
    const { code, detail, errors } = JSON.parse(text);
    if (typeof code !== "string" || typeof detail !== "string") return {};
    return { code, detail, ...(Array.isArray(errors) && { errors }) };
  } catch {
    return {};
  }
}
