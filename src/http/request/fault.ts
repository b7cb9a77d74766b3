import type { ErrorCode } from "../../operations/errors.ts";
import type { Fault } from "../../wire/head.ts";
import type { WireRequest } from "../../wire/message.ts";
import { HttpError } from "../reply/errors.ts";

/** How a client is told that what it has sent is no request that could be handled. */
export function errorOfFault({ kind, message }: Fault): HttpError {
  return new HttpError(codes[kind], message);
}

const codes: Readonly<Record<Fault["kind"], ErrorCode>> = {
  malformed: "BadRequest",
  fieldsTooLarge: "RequestHeaderFieldsTooLarge",
};

/** Nobody could be told what becomes of a write whose connection has ended before it was begun. Throws BadRequest. */
export function requirePresent({ peer }: WireRequest): void {
  if (!peer.isGone) return;
  throw new HttpError("BadRequest", "The connection was closed before the request started. Nothing was changed.");
}
