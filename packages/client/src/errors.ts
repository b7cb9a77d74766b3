import type { Problem } from "./generated.ts";

/** The base class of all errors of a call. An aborted call rejects with the reason of its `AbortSignal` instead. */
export class AnimalStoreError extends Error {
  override name = "AnimalStoreError";
  /** True if an attempt of this call got no response, so that the service may have carried out the request. */
  mayHaveSucceeded = false;
}

/** The service could not be reached, or the connection broke during the response. */
export class ConnectionError extends AnimalStoreError {
  override name = "ConnectionError";
}

/** The response took longer than the timeout of an attempt, or than the deadline of the call. */
export class TimeoutError extends AnimalStoreError {
  override name = "TimeoutError";
}

export class InvalidResponseError extends AnimalStoreError {
  override name = "InvalidResponseError";

  constructor(options?: ErrorOptions) {
    super("The response is not one that the service sends. Check the URL of the service.", options);
  }
}

/** The webhook was not signed with the secret, or not recently. Respond with 400 and ignore the webhook. */
export class WebhookVerificationError extends AnimalStoreError {
  override name = "WebhookVerificationError";
}

export interface FieldError {
  /** `#/name` for a field of the body, `?limit` for a query parameter, or the name of a header. */
  readonly pointer: string;
  readonly message: string;
}

export class ApiError extends AnimalStoreError {
  override name = "ApiError";
  /** The machine-readable code; `Unknown` if the response has none, for example because a proxy sent it. */
  readonly code: string;
  readonly status: number;
  /** Identifies the request in the operator's log. */
  readonly requestId: string | undefined;
  readonly fields: readonly FieldError[];
  /** The wait that the service requests before the next attempt. */
  readonly retryAfterMs: number | undefined;
  readonly headers: Headers;

  constructor(response: Response, problem: Partial<Problem>) {
    super(problem.detail ?? describe(response));
    this.code = problem.code ?? "Unknown";
    this.status = response.status;
    this.headers = response.headers;
    this.requestId = response.headers.get("X-Request-Id") ?? undefined;
    this.fields = problem.errors ?? [];
    this.retryAfterMs = parseRetryAfterMs(response.headers);
  }
}

/** 304: the version that you named in `ifNoneMatch` is still current. */
export class NotModifiedError extends ApiError {}
/** 400: `fields` lists what is wrong with the request. */
export class BadRequestError extends ApiError {}
export class UnauthorizedError extends ApiError {}
/** 403: the API key lacks the scope. */
export class ForbiddenError extends ApiError {}
export class NotFoundError extends ApiError {}
export class MethodNotAllowedError extends ApiError {}
/** 408: the body took too long to arrive. */
export class RequestTimeoutError extends ApiError {}
/** 409: the request conflicts with the current state; the message says why. */
export class ConflictError extends ApiError {}
/** 410: the request uses an operation that was removed (the message names its replacement), or events that are no longer kept. */
export class GoneError extends ApiError {}
/** 412: the current version of the resource does not match `ifMatch`, or matches `ifNoneMatch`. */
export class PreconditionFailedError extends ApiError {}
export class PayloadTooLargeError extends ApiError {}
export class UnsupportedMediaTypeError extends ApiError {}
/** 422: the idempotency key was used for another request. */
export class UnprocessableContentError extends ApiError {}
/** 429: too many requests; `retryAfterMs` says when to continue. */
export class RateLimitedError extends ApiError {}
export class RequestHeaderFieldsTooLargeError extends ApiError {}
export class InternalServerError extends ApiError {}
export class NotImplementedError extends ApiError {}
export class ServiceUnavailableError extends ApiError {}
export class HttpVersionNotSupportedError extends ApiError {}
/** 507: the store is out of disk space; nothing was saved. */
export class InsufficientStorageError extends ApiError {}

function describe({ type, status, statusText, headers }: Response): string {
  // Browsers hide the status and the target of a redirect.
  if (type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(status)) {
    const target = headers.get("Location");
    return `The response is a redirect${target ? ` to ${target}` : ""}, which is not followed. Use the URL of the service itself.`;
  }
  return `The response was ${status}${` ${statusText}`.trimEnd()}.`;
}

/** Parses `Retry-After`, in seconds or as a date (RFC 9110). */
function parseRetryAfterMs(headers: Headers): number | undefined {
  const value = headers.get("Retry-After");
  if (value === null) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1_000 : Date.parse(value) - Date.now();
  return Number.isNaN(waitMs) ? undefined : Math.max(0, waitMs);
}
