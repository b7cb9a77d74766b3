import type { RefusalCode } from "../domain/errors.ts";
import { bodyLimits, headLimits, objectSchema } from "./fields.ts";
import { maxComplaints } from "./invalid-input.ts";

interface ErrorKind {
  readonly status: number;
  readonly meaning: string;
  readonly example: string;
  readonly remedy: string;
}

const kinds = {
  BadRequest: {
    status: 400,
    meaning: "The body or a parameter is missing or has an invalid value.",
    example: "status must be one of available, pending, sold.",
    remedy: "The message lists everything that is wrong. Change the request before you send it again.",
  },
  Unauthorized: {
    status: 401,
    meaning: "The API key is missing or invalid.",
    example: "The API key is missing. Send it as Authorization: Bearer <API_KEY>.",
    remedy: "Send a key as `Authorization: Bearer <API_KEY>`. Check that it is not mistyped, expired or revoked.",
  },
  Forbidden: {
    status: 403,
    meaning: "The API key lacks the required scope, or would give another key more rights than its own.",
    example: "This needs a key with the scope write; the scope of this one is read.",
    remedy: "Use a key with the scope that `WWW-Authenticate` names, or ask the operator of the store for one.",
  },
  NotFound: {
    status: 404,
    meaning: "The requested resource could not be found.",
    example: "No animal has the id 12.",
    remedy:
      "Check the path, its version and the identifier in it. A deleted resource does not come back, and its identifier is never reused; only a category can be given a name again.",
  },
  MethodNotAllowed: {
    status: 405,
    meaning: "This path does not allow the method; `Allow` lists the allowed methods.",
    example: "PUT is not allowed here. Use one of GET, HEAD, POST.",
    remedy: "Use one of the methods in `Allow`.",
  },
  RequestTimeout: {
    status: 408,
    meaning: "The body did not arrive in time.",
    example: `The body did not arrive within ${bodyLimits.seconds} seconds.`,
    remedy: "Send the request again, and send its body without interruptions.",
  },
  Conflict: {
    status: 409,
    meaning: "The request conflicts with the current state; the message says why.",
    example: "Animal 12 is available. Its next status can be pending, not sold.",
    remedy:
      "Read the current state and decide again. Retry the same request only if the response has `Retry-After`: a request with the same `Idempotency-Key` is still in progress.",
  },
  Gone: {
    status: 410,
    meaning: "The operation or the events were removed. The message names the replacement of an operation.",
    example: "getPet was removed at the end of 2030-12-05 (UTC). Use GET /v1/pets?id={petId} instead.",
    remedy:
      "Use the replacement that the message and `Link` name. A deprecated operation announces its removal long before, in `Deprecation` and `Sunset`. A cursor of events that are no longer kept is useless: read the current state, and start over. An event that is no longer kept cannot be sent to a webhook again.",
  },
  PreconditionFailed: {
    status: 412,
    meaning: "The resource does not match `If-Match` or `If-None-Match`. This request changed nothing.",
    example: "The resource does not match If-Match or If-None-Match. Read it again, then decide.",
    remedy:
      "Read the resource again, with its new `ETag`, and decide whether your change still makes sense. If so, send it with another `Idempotency-Key`: with the same one, you get the same response.",
  },
  PayloadTooLarge: {
    status: 413,
    meaning: `The body is larger than ${bodyLimits.kibibytes} KiB, or than the limit of the operation.`,
    example: `The body is too large. Send at most ${bodyLimits.kibibytes * 1024} bytes.`,
    remedy: "Send a smaller body.",
  },
  UnsupportedMediaType: {
    status: 415,
    meaning: "The media type of the body is not supported; `Accept` lists those that are.",
    example: "Send the body as JSON in UTF-8, with Content-Type: application/json.",
    remedy: "Send the body as one of the types in `Accept`, in UTF-8 and without `Content-Encoding`.",
  },
  UnprocessableContent: {
    status: 422,
    meaning: "The `Idempotency-Key` was used for another request, or for a secret of another API key.",
    example: "This Idempotency-Key was used for another request. Send a new one, or repeat the original request.",
    remedy: "Give every request its own `Idempotency-Key`, and reuse it only to retry that request.",
  },
  TooManyRequests: {
    status: 429,
    meaning:
      "Too many requests by this key, or with an `Idempotency-Key`; too many streams, waiting requests, exports or large bodies at a time; or too many requests from this address without a key or with different wrong keys. `Retry-After` says when to continue.",
    example: "This key may make 100 requests per second. Wait before the next one.",
    remedy: "Wait for the number of seconds in `Retry-After`. `RateLimit` shows how many requests you have left.",
  },
  RequestHeaderFieldsTooLarge: {
    status: 431,
    meaning: `The request line and the header fields are larger than ${headLimits.kibibytes} KiB.`,
    example: `The request line and the header fields are too large. Send at most ${headLimits.kibibytes * 1024} bytes.`,
    remedy: "Send fewer or shorter header fields, or a shorter query.",
  },
  InternalServerError: {
    status: 500,
    meaning: "Something went wrong in the service.",
    example: "Something went wrong in the service.",
    remedy: "Report it to the operator of the store, with the `X-Request-Id`: the log has the cause under that id.",
  },
  NotImplemented: {
    status: 501,
    meaning: "The service does not support the transfer coding of the body.",
    example: "Send the body with Content-Length or with Transfer-Encoding: chunked.",
    remedy: "Send the body with `Content-Length`, or in chunks without another coding.",
  },
  ServiceUnavailable: {
    status: 503,
    meaning: "The service or its database is unavailable; `Retry-After` says when to try again.",
    example: "Too many writes are waiting. Nothing was saved; try again.",
    remedy:
      "Retry after the number of seconds in `Retry-After`, with the same `Idempotency-Key` if there is one: the write may have succeeded nevertheless.",
  },
  HttpVersionNotSupported: {
    status: 505,
    meaning: "The service does not support this version of HTTP.",
    example: "Send the request with HTTP/1.1.",
    remedy: "Use HTTP/1.1. A reverse proxy in front of the service can accept other versions.",
  },
  InsufficientStorage: {
    status: 507,
    meaning: "The store is out of disk space or ids. Nothing was saved.",
    example: "The store's disk is full. Nothing was saved.",
    remedy: "Report it to the operator of the store. Reads still work.",
  },
} satisfies Readonly<Record<RefusalCode, ErrorKind>> & Readonly<Record<string, ErrorKind>>;

export type ErrorCode = keyof typeof kinds;

export const errorKinds: Readonly<Record<ErrorCode, ErrorKind>> = kinds;

export const errorCodes = Object.keys(errorKinds) as readonly ErrorCode[];

/** Returns the name of the HTTP status, such as "Not Found". */
export function titleOf(code: ErrorCode): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, " ").replace("Http", "HTTP");
}

/** True for a 5xx status, except 501 and 505, which mean that the client used an unsupported feature of HTTP. */
export function isServiceFailure(status: number): boolean {
  return status >= 500 && status !== 501 && status !== 505;
}

const code = {
  type: "string",
  description: `Machine-readable error code: ${errorCodes.join(", ")}. More may be added; fall back to the status for codes that you do not know.`,
} as const;
const status = { type: "integer", description: "The HTTP status code." } as const;

export const ErrorBody = objectSchema("Error", "The body of every error response.", {
  code,
  message: { type: "string", description: "Human-readable description." },
  status,
});

export const ProblemBody = {
  $id: "Problem",
  type: "object",
  description: "RFC 9457: the error body of clients that accept `application/problem+json`.",
  required: ["type", "title", "status", "detail", "code"],
  properties: {
    type: { type: "string", format: "uri-reference", description: "The page that explains the code." },
    title: { type: "string", description: "The name of the HTTP status." },
    status,
    detail: { type: "string", description: "Human-readable description: the message of the Error body." },
    code,
    errors: {
      type: "array",
      description: "Every invalid part of the request.",
      maxItems: maxComplaints,
      items: {
        type: "object",
        required: ["pointer", "message"],
        properties: {
          pointer: {
            type: "string",
            description:
              "The part of the request: `#/name` for a field of the body (RFC 6901), `?limit` for a query parameter, `Idempotency-Key` for the header.",
          },
          message: { type: "string", description: "The problem with that part, and what to send instead." },
        },
      },
    },
  },
} as const;
