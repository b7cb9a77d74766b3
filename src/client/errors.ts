import type { Problem } from "./generated.ts";

/** Whatever a call can fail with, except that its `AbortSignal` was aborted: then it fails with the signal's reason. */
export class AnimalStoreError extends Error {
  override name = "AnimalStoreError";
  /** Whether an attempt of this call got no answer, so that the service may have done what was asked. */
  mayHaveSucceeded = false;
}

/** The service could not be reached, or the connection broke before its answer was complete. */
export class ConnectionError extends AnimalStoreError {
  override name = "ConnectionError";
}

/** The answer took longer than the timeout of an attempt, or than the deadline of the call. */
export class TimeoutError extends AnimalStoreError {
  override name = "TimeoutError";
}

/** What arrived is not an answer of the service. */
export class InvalidResponseError extends AnimalStoreError {
  override name = "InvalidResponseError";
}

export const notOfTheService = "The answer is not what the service sends. Is the URL that of the service?";

/** A webhook that was not signed with the secret, or not recently. Answer it with 400 and ignore it. */
export class WebhookVerificationError extends AnimalStoreError {
  override name = "WebhookVerificationError";
}

/** A part of the request that is wrong. */
export interface FieldError {
  /** `#/name` for a field of the body, `?limit` for a query parameter, the name of a header. */
  readonly pointer: string;
  readonly message: string;
}

/** The service answered with an error. */
export class ApiError extends AnimalStoreError {
  override name = "ApiError";
  /** The machine-readable code; `Unknown` if the answer had none, as those of proxies do. */
  readonly code: string;
  readonly status: number;
  /** By which the operator finds the request in the log. */
  readonly requestId: string | undefined;
  /** Every wrong part of the request. */
  readonly fields: readonly FieldError[];
  /** How long the service asks to wait before the next attempt. */
  readonly retryAfterMs: number | undefined;
  readonly headers: Headers;

  constructor(response: Response, problem: Partial<Problem>) {
    super(problem.detail ?? sentenceOf(response));
    this.code = problem.code ?? "Unknown";
    this.status = response.status;
    this.headers = response.headers;
    this.requestId = response.headers.get("X-Request-Id") ?? undefined;
    this.fields = problem.errors ?? [];
    this.retryAfterMs = retryAfterMsOf(response.headers);
  }
}

/** 304: what you have, by its `ifNoneMatch`, is still current. */
export class NotModifiedError extends ApiError {
  override name = "NotModifiedError";
}

/** 400: `fields` tells what is wrong with the request. */
export class BadRequestError extends ApiError {
  override name = "BadRequestError";
}

/** 401: the API key is missing or does not work. */
export class UnauthorizedError extends ApiError {
  override name = "UnauthorizedError";
}

/** 403: the API key lacks the scope. */
export class ForbiddenError extends ApiError {
  override name = "ForbiddenError";
}

/** 404: there is no such thing. */
export class NotFoundError extends ApiError {
  override name = "NotFoundError";
}

/** 405: the path does not allow the method. */
export class MethodNotAllowedError extends ApiError {
  override name = "MethodNotAllowedError";
}

/** 408: the body took too long to arrive. */
export class RequestTimeoutError extends ApiError {
  override name = "RequestTimeoutError";
}

/** 409: the request conflicts with the current state; the message says why. */
export class ConflictError extends ApiError {
  override name = "ConflictError";
}

/** 410: it was removed: an operation, whose replacement the message names, or events that are no longer kept. */
export class GoneError extends ApiError {
  override name = "GoneError";
}

/** 412: somebody else has changed it, so that it does not match `ifMatch` or `ifNoneMatch`. */
export class PreconditionFailedError extends ApiError {
  override name = "PreconditionFailedError";
}

/** 413: the body is too large. */
export class PayloadTooLargeError extends ApiError {
  override name = "PayloadTooLargeError";
}

/** 415: the body is of a media type that is not supported. */
export class UnsupportedMediaTypeError extends ApiError {
  override name = "UnsupportedMediaTypeError";
}

/** 422: the idempotency key was used for another request. */
export class UnprocessableContentError extends ApiError {
  override name = "UnprocessableContentError";
}

/** 429: too many requests; `retryAfterMs` tells when to go on. */
export class RateLimitedError extends ApiError {
  override name = "RateLimitedError";
}

/** 431: the headers are too large. */
export class RequestHeaderFieldsTooLargeError extends ApiError {
  override name = "RequestHeaderFieldsTooLargeError";
}

/** 500: something went wrong in the service. */
export class InternalServerError extends ApiError {
  override name = "InternalServerError";
}

/** 501: the service does not support the transfer coding. */
export class NotImplementedError extends ApiError {
  override name = "NotImplementedError";
}

/** 503: the service or its database is unavailable. */
export class ServiceUnavailableError extends ApiError {
  override name = "ServiceUnavailableError";
}

/** 505: the service does not support the version of HTTP. */
export class HttpVersionNotSupportedError extends ApiError {
  override name = "HttpVersionNotSupportedError";
}

/** 507: the store is out of disk space; nothing was saved. */
export class InsufficientStorageError extends ApiError {
  override name = "InsufficientStorageError";
}

function sentenceOf({ type, status, statusText, headers }: Response): string {
  // Browsers do not tell where a redirect leads to, nor its status.
  if (type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(status)) {
    const target = headers.get("Location");
    return `The answer is a redirect${target ? ` to ${target}` : ""}, which is not followed. Use the URL of the service itself.`;
  }
  return `The answer was ${status}${` ${statusText}`.trimEnd()}.`;
}

/** In seconds, or a date (RFC 9110). */
function retryAfterMsOf(headers: Headers): number | undefined {
  const value = headers.get("Retry-After");
  if (value === null) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
