import type { ErrorCode } from "../../operations/errors.ts";
import type { Fault } from "../../wire/head.ts";
import type { WireRequest } from "../../wire/message.ts";
import { HttpError } from "../http-error.ts";

/** Returns the error of a request that the parser has refused. */
export function errorOfFault({ kind, message }: Fault): HttpError {
  return new HttpError(codes[kind], message);
}

const codes: Readonly<Record<Fault["kind"], ErrorCode>> = {
  malformed: "BadRequest",
  fieldsTooLarge: "RequestHeaderFieldsTooLarge",
  unsupportedCoding: "NotImplemented",
  unsupportedVersion: "HttpVersionNotSupported",
};

/** Nobody could be told what becomes of a write whose connection has ended before it was begun. Throws BadRequest. */
export function requirePresent({ peer }: WireRequest): void {
  if (!peer.isClosed) return;
  throw new HttpError("BadRequest", "The connection was closed before the request started. Nothing was changed.");
}
