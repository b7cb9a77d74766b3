import { PassingError, ServiceError } from "../../domain/errors.ts";
import { type ErrorCode, errorKinds, titleOf } from "../../operations/errors.ts";
import { InvalidInput } from "../../operations/invalid-input.ts";
import { elementsOf, weightOf } from "../request/header-fields.ts";
import { jsonReply, type Reply } from "./reply.ts";

/** A failure of which HTTP has more to say than its code. */
export class HttpError extends ServiceError<ErrorCode> {
  constructor(
    code: ErrorCode,
    message: string,
    readonly headers: Reply["headers"] = {},
  ) {
    super(code, message);
  }
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
  const complaints = error instanceof InvalidInput ? error.complaints : [];
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
