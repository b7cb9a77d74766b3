import { PassingError, ServiceError } from "../../domain/errors.ts";
import { type ErrorCode, errorKinds, titleOf } from "../../operations/errors.ts";
import { elementsOf, weightOf } from "../request/header-fields.ts";
import { jsonReply, type Reply } from "./reply.ts";

/** What is wrong with one part of a request: `#/name` points into the body, `?limit` into the query; a header has its name. */
export interface Complaint {
  readonly pointer: string;
  readonly message: string;
}

/** A failure of which HTTP has more to say than its code. */
export class HttpError extends ServiceError<ErrorCode> {
  constructor(
    code: ErrorCode,
    message: string,
    readonly headers: Reply["headers"] = {},
    readonly complaints: readonly Complaint[] = [],
  ) {
    super(code, message);
  }
}

export function badRequest(complaints: readonly Complaint[]): HttpError {
  return new HttpError("BadRequest", complaints.map(({ message }) => message).join(" "), {}, complaints);
}

/** Whatever was thrown, as an error that may be shown. */
export function toServiceError(error: unknown): ServiceError<ErrorCode> {
  if (error instanceof ServiceError) return error;
  return new ServiceError("InternalServerError", "Something went wrong in the service.", error);
}

/** `explanationOf` gives the address at which a code is explained. */
export function errorReply(
  error: ServiceError<ErrorCode>,
  accept: string | null,
  explanationOf: (code: ErrorCode) => string,
): Reply {
  const { code, message } = error;
  const { status } = errorKinds[code];
  const headers = {
    "Cache-Control": "no-store",
    ...(code === "ServiceUnavailable" && { "Retry-After": "1" }),
    ...(error instanceof PassingError && { "Retry-After": String(error.retryAfterSeconds) }),
    ...(error instanceof HttpError ? error.headers : undefined),
  };
  if (!acceptsProblem(accept)) return jsonReply(status, { code, message, status }, headers);
  const complaints = error instanceof HttpError ? error.complaints : [];
  const problem = {
    type: explanationOf(code),
    title: titleOf(code),
    status,
    detail: message,
    code,
    ...(complaints.length > 0 ? { errors: complaints } : undefined),
  };
  return jsonReply(status, problem, { ...headers, "Content-Type": "application/problem+json" });
}

/** Whether the client names RFC 9457's type, and does not like plain JSON better. */
function acceptsProblem(accept: string | null): boolean {
  const accepted = elementsOf(accept);
  const problem = weightOf("application/problem+json", accepted);
  return problem > 0 && problem >= weightOf("application/json", accepted);
}
