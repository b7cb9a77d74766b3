import { ServiceError, TemporaryError } from "../../domain/errors.ts";
import { type ErrorCode, errorKinds, titleOf } from "../../operations/errors.ts";
import { InvalidInput } from "../../operations/invalid-input.ts";
import type { Fault } from "../../wire/head.ts";
import { HttpError } from "../http-error.ts";
import { acceptsProblem } from "../request/accept.ts";
import { createJsonResponse, type HttpResponse } from "./http-response.ts";
import type { UrlBuilder } from "./url-builder.ts";

/** Returns a ServiceError, which is meant for clients, unchanged, and hides any other error behind InternalServerError. */
export function toServiceError(error: unknown): ServiceError<ErrorCode> {
  if (error instanceof ServiceError) return error;
  return new ServiceError("InternalServerError", "Something went wrong in the service.", error);
}

export function createFaultError({ kind, message }: Fault): HttpError {
  return new HttpError(faultCodes[kind], message);
}

const faultCodes: Readonly<Record<Fault["kind"], ErrorCode>> = {
  malformed: "BadRequest",
  fieldsTooLarge: "RequestHeaderFieldsTooLarge",
  unsupportedCoding: "NotImplemented",
  unsupportedVersion: "HttpVersionNotSupported",
};

export function createErrorResponse(
  error: ServiceError<ErrorCode>,
  accept: string | null,
  urls: UrlBuilder,
): HttpResponse {
  const { code, message } = error;
  const { status } = errorKinds[code];
  const headers = {
    "Cache-Control": "no-store",
    ...(code === "ServiceUnavailable" && { "Retry-After": "1" }),
    ...(error instanceof TemporaryError && { "Retry-After": String(error.retryAfterSeconds) }),
    ...(error instanceof HttpError ? error.headers : undefined),
  };
  if (!acceptsProblem(accept)) return createJsonResponse(status, { code, message, status }, headers);
  const complaints = error instanceof InvalidInput ? error.complaints : [];
  const problem = {
    type: urls.ofError(code),
    title: titleOf(code),
    status,
    detail: message,
    code,
    ...(complaints.length > 0 ? { errors: complaints } : undefined),
  };
  return createJsonResponse(status, problem, { ...headers, "Content-Type": "application/problem+json" });
}
