import { ServiceError } from "../domain/errors.ts";
import type { ErrorCode } from "../operations/errors.ts";

/** An error whose response has headers of its own. */
export class HttpError extends ServiceError<ErrorCode> {
  constructor(
    code: ErrorCode,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(code, message);
  }
}

/** The header of a response after which the connection is closed. */
export const connectionClose = { Connection: "close" };
